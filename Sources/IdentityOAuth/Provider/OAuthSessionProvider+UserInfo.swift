import IdentityKit

extension OAuthSessionProvider {
    /// Requests the claims of userinfo about the person (OpenID Connect Core section 5.3). If the server refuses the access
    /// token, the session is refreshed and the request is sent once more.
    /// - Throws: ``/IdentityCore/SessionError``, ``/IdentityCore/TokenStoreError``, ``OAuthError``, an error with the
    ///   code `token_malformed` or `randomness_unavailable`, `CancellationError`, or what the transport throws.
    public func userInfo(for accountID: AccountID) async throws -> UserInfo {
        try await retryingRefusal { (refused: Credential?) in
            try await sessions.credential(
                for: accountID, scopes: ["openid"], replacing: refused?.accessToken.reveal())
        } _: { credential in
            try await relyingParty(of: credential).userInfo(
                credential.accessToken, of: accountID.account, dpop: presentation.prover(for: credential))
        }
    }
}
