import IdentityKit

extension ToolSession {
    /// Returns why no provider can end the session of `account` at its server: no provider has the realm, or the provider could
    /// not be made. Returns `nil` if a provider can.
    func absenceOfProvider(of account: AccountID) -> String? {
        guard let link = client.link(of: account) else { return "no provider \(account.realm) is configured" }
        return (link.provider as? UnmadeProvider)?.error.message
    }

    /// Removes an account's session from the store, without revoking its tokens at the server.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    func endHere(_ account: AccountID) async throws {
        let sessions = ProviderSessions(
            realm: account.realm, origin: .anyone(at: ""), store: store, time: call.context.clock
        ) { _ in throw CancellationError() }
        _ = try await sessions.end(account)
    }

    /// Prints that the session of `account` has ended only in the store, and that its server was not told.
    /// - Parameter gap: the reason, as ``absenceOfProvider(of:)`` returns it.
    func reportEndHere(_ account: AccountID, because gap: String) {
        note(
            "identity: The server of \(account) was not told, because \(gap.withoutFinalPeriod). Its tokens work there until "
                + "they expire.")
    }
}
