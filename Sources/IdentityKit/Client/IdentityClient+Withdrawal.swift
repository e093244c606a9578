import Foundation

extension IdentityClient {
    /// Ends the sessions of persons who have withdrawn their consent at the vendor whose token began the session. If a
    /// session cannot be read or written, it is checked again the next time.
    func endWithdrawnSessions() async {
        guard !environment.nativeSignIns.isEmpty else { return }
        let accounts = (try? await accounts().accounts) ?? []
        for summary in accounts {
            let account = summary.account
            guard case .live = summary.session,
                let link = signInCandidates(replacing: nil).first(where: { $0.realms.contains(account.realm) }),
                let sessions = (link.provider as? any SessionBackedProvider)?.sessions,
                let grant = try? await sessions.storedCredential(of: account)?.nativeGrant,
                let native = environment.nativeSignIn(at: grant.vendor), await native.hasWithdrawn(grant.user)
            else { continue }
            try? await sessions.end(account, because: "The person has withdrawn their consent at \(native.vendorName).")
            {
                $0.nativeGrant == grant
            }
            // Updates the client's state, so that its listeners hear of the end.
            _ = try? await lookUp()
        }
    }

    /// Ends such sessions whenever a vendor reports that somebody may have withdrawn, until the task is cancelled.
    func followWithdrawals() async {
        await withTaskGroup(of: Void.self) { group in
            for native in environment.nativeSignIns {
                group.addTask { for await _ in native.withdrawals() { await self.endWithdrawnSessions() } }
            }
        }
    }
}

/// Identifies a person at a vendor, such as Apple, whose token began a session.
package struct NativeGrant: Sendable, Equatable {
    package let vendor: String
    package let user: String

    private static let detail = "native_sign_in"

    /// The session detail that stores the grant; empty when the vendor cannot be asked about the person.
    package static func detail(_ vendor: String, _ answer: NativeSignIn.Answer) -> [String: JSONValue] {
        answer.user.map { [detail: ["vendor": .string(vendor), "user": .string($0)]] } ?? [:]
    }

    fileprivate init?(_ details: [String: JSONValue]) {
        guard let value = details[Self.detail], let vendor = value["vendor"]?.stringValue,
            let user = value["user"]?.stringValue
        else { return nil }
        (self.vendor, self.user) = (vendor, user)
    }
}

extension Credential {
    package var nativeGrant: NativeGrant? { NativeGrant(details) }
}
