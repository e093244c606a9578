extension IdentityProvider {
    /// A current access token of the account that is signed in; `nil` when nobody is, also for an account that is
    /// signed out during the call.
    ///
    /// Each call looks up the account with ``activeAccount(scopes:deviceToken:)``, and may therefore show a sign-in.
    /// - Parameters:
    ///   - scopes: the OAuth scopes the token must carry.
    ///   - deviceToken: an identifier unique to this physical device, for a provider that wants one.
    /// - Throws: when it is unknown who is signed in, when the session has ended, or when access is not granted: as
    ///   ``activeAccount(scopes:deviceToken:)`` and ``accessToken(for:scopes:)``.
    nonisolated(nonsending) public func token(
        scopes: Set<String> = [], deviceToken: String = ""
    ) async throws -> String? {
        guard let account = try await activeAccount(scopes: scopes, deviceToken: deviceToken) else { return nil }
        do {
            return try await accessToken(for: account, scopes: scopes)
        } catch let error as any IdentityFailure where error.failureCode == "not_signed_in" {
            return nil
        }
    }
}
