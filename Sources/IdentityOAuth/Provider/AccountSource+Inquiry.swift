import IdentityKit

extension AccountSource {
    /// Asks the server whether it still accepts the access token of `credential`. The request goes to the configured
    /// resource, or for the source `idToken` to userinfo, which needs a token with the scope `openid`.
    /// - Returns: `true` if the server accepts the token, and `false` after a refusal with status 401, unless its body
    ///   is an HTML page. `nil`, without a request, for the sources `tokenResponse` and `named`, and for `idToken` if
    ///   the server has no userinfo endpoint or the token lacks the scope. Also `nil`, without a request, if the
    ///   session or `party` has a proof key: the token would be sent with a proof, and a refusal could mean the proof.
    /// - Throws: ``OAuthError``, `MalformedTokenError`, `CancellationError`, or what the transport throws, when the
    ///   request fails for another reason.
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
