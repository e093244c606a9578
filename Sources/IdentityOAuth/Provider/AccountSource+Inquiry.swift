import IdentityKit

extension AccountSource {
    /// Whether the issuer itself takes the access token of `credential`; `nil` where it has no endpoint for that, and for a
    /// token that is bound to a key.
    /// - Throws: ``OAuthError``, or what the transport throws, when that is not known now.
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
