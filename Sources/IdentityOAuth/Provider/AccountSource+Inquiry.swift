import IdentityKit

extension AccountSource {
    /// Asks the server whether it still accepts the access token of `credential`.
    /// - Returns: `false` after a refusal with status 401, unless its body is an HTML page; `nil`, without a request, if the
    ///   session or `party` has a proof key, with which the token would be sent, or if there is no address to ask: neither a
    ///   configured resource nor userinfo, which is asked only for the source `idToken` and a token with the scope `openid`.
    /// - Throws: ``OAuthError``, ``/IdentityCore/MalformedTokenError``, or what the transport throws, when the request fails
    ///   for another reason.
    func takes(_ credential: Credential, at party: RelyingParty) async throws -> Bool? {
        guard credential.proofKey == nil, party.dpop == nil else { return nil }
        do {
            switch self {
            case .request(let url, let headers, _, _):
                _ = try await party.resource(at: url, headers: headers, credential.accessToken)
            case .idToken where party.metadata.userinfoEndpoint != nil && credential.scopes.contains("openid"):
                let subject = SessionSubject.of(credential).map(party.subject(ofPerson:))
                _ = try await party.userInfo(credential.accessToken, subject: subject)
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
