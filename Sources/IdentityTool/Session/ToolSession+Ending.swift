import IdentityKit

extension ToolSession {
    /// The reason why no provider can end a session of `account`; `nil` if one can.
    func absenceOfProvider(of account: AccountID) -> String? {
        guard client.serves(account) else { return "no provider \(account.realm) is configured" }
        let link = client.links.first { $0.realms.contains(account.realm) }
        return (link?.provider as? UnmadeProvider)?.error.message
    }

    /// Ends an account's session in the store, without notifying its server.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func endHere(_ account: AccountID) async throws {
        let sessions = ProviderSessions(
            realm: account.realm, origin: .anyone(at: ""), store: store, time: call.context.clock
        ) { _ in throw CancellationError() }
        _ = try await sessions.end(account)
    }
}
