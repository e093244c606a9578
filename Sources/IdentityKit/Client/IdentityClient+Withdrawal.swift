import Foundation

extension IdentityClient {
    /// Ends the live sessions that a vendor's token began, if the person has withdrawn their consent at that vendor. A
    /// session that cannot be read or written now is checked again by the next call.
    func endWithdrawnSessions() async {
        guard !environment.nativeSignIns.isEmpty else { return }
        let accounts = (try? await accounts().accounts) ?? []
        for summary in accounts {
            let account = summary.account
            guard case .live = summary.session,
                let link = signInCandidates(replacing: nil).first(where: { $0.realms.contains(account.realm) }),
                let sessions = (link.provider as? any SessionBackedProvider)?.sessions,
                let stored = try? await sessions.storedCredential(of: account), let grant = stored.nativeGrant,
                let native = environment.nativeSignIn(at: grant.vendor), await native.hasWithdrawn(grant.user)
            else { continue }
            try? await sessions.end(account, because: "The person has withdrawn their consent at \(native.vendorName).")
            {
                // Leave a session that has begun while the vendor was asked. The vendor's answer is about the former session.
                $0.nativeGrant == grant && $0.signedInAt == stored.signedInAt
            }
            // Update the client's state, so that its listeners are informed of the end.
            _ = try? await lookUp()
        }
    }

    /// Calls ``endWithdrawnSessions()`` whenever a vendor reports that somebody may have withdrawn their consent, until the
    /// task is cancelled.
    func followWithdrawals() async {
        await withTaskGroup(of: Void.self) { group in
            for native in environment.nativeSignIns {
                group.addTask { for await _ in native.withdrawals() { await self.endWithdrawnSessions() } }
            }
        }
    }
}

/// A vendor, such as Apple, and a person's identifier there. A token of the vendor began the person's session.
package struct NativeGrant: Sendable, Equatable {
    package let vendor: String
    package let user: String

    fileprivate static let detail = "native_sign_in"

    /// Returns the entry of ``Credential/details`` that stores the grant. The result is empty when `answer` does not identify
    /// the person, because the vendor cannot be asked about an unknown person.
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

    /// Keeps the grant of `previous`, unless this credential has a grant of its own.
    mutating func keepNativeGrant(of previous: Credential) {
        details[NativeGrant.detail] = details[NativeGrant.detail] ?? previous.details[NativeGrant.detail]
    }
}
