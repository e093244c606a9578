import IdentityKit

extension AccountSource {
    /// Asks the server whether it still accepts the access token of `credential`.
    ///
    /// No request is sent in these cases:
    ///
    /// - The source is `tokenResponse` or `named`.
    /// - The source is `idToken`, and the server has no userinfo endpoint, or the token lacks the scope `openid`.
    /// - The session or `party` has a proof key. The token would be sent with a proof, and a refusal could mean the proof.
    ///
    /// In every other case, the request goes to the configured resource, or for the source `idToken` to userinfo.
    /// - Returns: `true` if the server accepts the token, `false` after a refusal with status 401, and `nil` if no request is
    ///   sent.
    /// - Throws: ``OAuthError``, `MalformedTokenError`, `CancellationError`, or what the transport throws, when the
    ///   request fails for another reason. An HTML page with status 401 and without an OAuth error is such a failure.
    func takes(_ credential: Credential, at party: RelyingParty) async throws -> Bool? {
        guard credential.proofKey == nil, party.dpop == nil else { return nil }
        do {
            switch self {
            case .request(let url, let headers, _, _):
                _ = try await party.resource(at: url, headers: headers, credential.accessToken)
            case .idToken where party.metadata.userinfoEndpoint != nil && credential.scopes.contains("openid"):
                _ = try await party.userInfo(credential.accessToken, of: SessionSubject.of(credential))
            case .idToken, .tokenResponse, .named: return nil
            }
            return true
        } catch OAuthError.refused(let refusal) where refusal.status == 401 {
            return false
        } catch OAuthError.invalidResponse(.failedStatus(401), _) {
            return false
        }
    }
}
