import IdentityKit

extension OAuthSessionProvider {
    /// Claims of the server's user info about the person (OpenID Connect Core section 5.3). If the server refuses the
    /// token, it is refreshed and tried again once.
    /// - Throws: ``/IdentityCore/SessionError``, ``OAuthError``.
    public func userInfo(for accountID: AccountID) async throws -> UserInfo {
        try await retryingRefusal { (refused: Credential?) in
            try await sessions.credential(
                for: accountID, scopes: ["openid"], replacing: refused?.accessToken.reveal())
        } _: { credential in
            try await relyingParty(of: credential).userInfo(
                credential, of: accountID.account, dpop: presentation.prover(for: credential))
        }
    }
}
