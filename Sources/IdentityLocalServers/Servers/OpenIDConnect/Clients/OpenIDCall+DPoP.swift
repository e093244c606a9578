import Foundation

extension OpenIDCall {
    /// Returns the thumbprint of the key that signed the request's DPoP proof; `nil` without a proof.
    /// - Parameter accessToken: the access token whose hash the proof must contain as `ath`; `nil` if the request has no access
    ///   token.
    /// - Throws: ``OpenIDServerError`` for an invalid proof.
    func provenKey(accessToken: String? = nil) throws -> String? {
        let rules = DPoPRules(
            address: backend.baseURL + request.path.dropFirst(backend.configuration.path.count),
            now: backend.now(behaviour), tolerance: 300, accessToken: accessToken
        ) { nonce in
            guard !behaviour.has(.endlessDPoPNonces) else { return false }
            return !backend.configuration.requiresDPoPNonces || nonce.map(backend.dpop.accepts) ?? false
        }
        do throws(DPoPError) {
            return try backend.dpop.provenKey(of: request, rules)
        } catch {
            // Only requests to a resource have the `DPoP` scheme. A resource responds with 401 and a challenge (RFC 9449
            // section 7.1), and the token endpoint with 400 (section 5).
            guard request.credentials("DPoP") != nil else {
                throw OpenIDServerError.oauth(error.error, error.description)
            }
            throw OpenIDServerError.challenge(
                status: 401, scheme: "DPoP", error: error.error, description: error.description)
        }
    }
}
