import IdentityKit

extension AccountSource {
    /// Whether the server still accepts the access token of `credential`; `nil` if it has no endpoint to ask, or the
    /// token is bound to a key.
    /// - Throws: ``OAuthError``, or what the transport throws, when the question could not be answered.
    func takes(_ credential: Credential, at party: RelyingParty) async throws -> Bool? {
        guard credential.proofKey == nil else { return nil }
        do {
            switch self {
            case .request(let url, let headers, _, _):
                _ = try await party.resource(at: url, headers: headers, credential.accessToken)
            case .idToken where party.metadata.userinfoEndpoint != nil && credential.scopes.contains("openid"):
                _ = try await party.userInfo(credential.accessToken, subject: SessionSubject.of(credential))
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
