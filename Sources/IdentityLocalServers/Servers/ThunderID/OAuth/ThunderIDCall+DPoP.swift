import Foundation
import IdentityKit

/// Proof of possession (RFC 9449). The server issues no nonces, except for `GET /api/resource` if configured.
extension ThunderIDCall {
    private static let algorithms = ["ES256", "PS256", "ES384", "ES512", "EdDSA", "RS256"]
    /// The beginning of a `WWW-Authenticate` challenge, with the accepted algorithms (RFC 9449 section 7.1).
    static let dpopChallenge = "DPoP algs=\"\(algorithms.joined(separator: " "))\","

    /// The thumbprint of the key that signed the request's DPoP proof; `nil` without a proof.
    /// - Parameters:
    ///   - accessToken: at a resource, the access token whose hash (`ath`) the proof must contain; otherwise `nil`.
    ///   - needsNonce: whether the proof must contain a nonce that this server issued.
    /// - Throws: ``ThunderIDServerError`` with `invalid_dpop_proof` or `use_dpop_nonce`.
    func provenKey(accessToken: String? = nil, needsNonce: Bool = false) throws -> String? {
        let rules = DPoPRules(
            address: backend.baseURL + request.path.dropFirst(backend.configuration.pathPrefix.count),
            now: backend.time.now, tolerance: 65, algorithms: Set(Self.algorithms), accessToken: accessToken
        ) { !needsNonce || $0.map(backend.dpop.accepts) ?? false }
        do throws(DPoPError) {
            return try backend.dpop.provenKey(of: request, rules)
        } catch {
            // A resource responds with 401 and a challenge (RFC 9449 section 7.1), the token endpoint with 400 (section 5).
            guard request.credentials("DPoP") != nil else {
                throw ThunderIDServerError.oauth(error.error, error.description)
            }
            throw ThunderIDServerError.oauth(
                status: 401, error: error.error, description: error.description,
                challenge: "DPoP error=\"\(error.error)\"")
        }
    }
}
