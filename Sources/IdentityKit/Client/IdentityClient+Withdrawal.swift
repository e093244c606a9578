import Foundation

extension IdentityClient {
    /// Ends the sessions of persons who have withdrawn their consent at the vendor whose token began the session. A session
    /// that cannot be read or written stays, and is looked at the next time.
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
            // Whoever shows the account hears of it.
            _ = try? await lookUp()
        }
    }

    /// Ends them whenever a vendor says that somebody may have withdrawn, until the task is cancelled.
    func followWithdrawals() async {
        await withTaskGroup(of: Void.self) { group in
            for native in environment.nativeSignIns {
                group.addTask { for await _ in native.withdrawals() { await self.endWithdrawnSessions() } }
            }
        }
    }
}

/// The person at a vendor whose token began a session.
package struct NativeGrant: Sendable, Equatable {
    package let vendor: String
    package let user: String

    private static let detail = "native_sign_in"

    /// The detail of a session; `nil` where nobody can be asked about the person.
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
