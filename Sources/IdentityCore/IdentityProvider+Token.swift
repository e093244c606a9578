extension IdentityProvider {
    /// Returns a current access token of the signed-in account; `nil` when no account is signed in, or when the account
    /// is signed out during the call.
    ///
    /// Each call looks up the account with ``activeAccount(scopes:deviceToken:)``, and may therefore show a sign-in.
    /// - Parameters:
    ///   - scopes: the OAuth scopes the token must carry.
    ///   - deviceToken: an identifier unique to this physical device, for a provider that wants one.
    /// - Throws: what ``activeAccount(scopes:deviceToken:)`` and ``accessToken(for:scopes:)`` throw, for example when
    ///   the session has ended or access is not granted. For the error code `not_signed_in` of
    ///   ``accessToken(for:scopes:)``, the method returns `nil`.
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
