import Foundation
import IdentityKit

/// Demonstrating proof of possession (RFC 9449; contract 2.8). The server gives no nonces; an API beside it may.
extension ThunderIDCall {
    private static let algorithms: Set = ["ES256", "PS256", "ES384", "ES512", "EdDSA", "RS256"]
    /// How far the proof's clock may be off, in seconds.
    private static let tolerance: TimeInterval = 65
    private static let longestID = 256

    /// The thumbprint of the key that the call's proof proves; `nil` without a proof.
    /// - Parameters:
    ///   - accessToken: the token the proof must be about, at a resource.
    ///   - nonces: those a proof must carry one of; `nil` for none.
    /// - Throws: ``ThunderIDFailure`` with `invalid_dpop_proof` or `use_dpop_nonce`.
    func provenKey(accessToken: String? = nil, nonces: DPoPState? = nil) throws -> String? {
        let proofs = request.headers.filter { $0.name.caseInsensitiveCompare("DPoP") == .orderedSame }
        guard !proofs.isEmpty else { return nil }
        guard proofs.count == 1, let proof = SignedMessage(proofs[0].value),
            proof.header["typ"]?.stringValue == "dpop+jwt",
            Self.algorithms.contains(proof.header["alg"]?.stringValue ?? ""),
            let key = proof.header["jwk"].flatMap(PublicJWK.init), proof.isSigned(by: key)
        else { throw invalidProof("The proof is malformed or not signed by the key it names") }
        try checkClaims(proof.claims, accessToken: accessToken, nonces: nonces)
        return key.thumbprint
    }

    private func checkClaims(_ claims: JSONValue, accessToken: String?, nonces: DPoPState?) throws {
        let path = request.path.dropFirst(backend.configuration.pathPrefix.count)
        guard claims["htm"]?.stringValue == request.method, claims["htu"]?.stringValue == backend.baseURL + path else {
            throw invalidProof("The proof is for another request")
        }
        let now = backend.time.now.timeIntervalSince1970
        guard let issuedAt = claims["iat"]?.numberValue, abs(issuedAt - now) <= Self.tolerance else {
            throw invalidProof("The proof is too old or too new")
        }
        if let accessToken {
            guard claims["ath"]?.stringValue == TokenSigner.base64URL(sha256(Data(accessToken.utf8))) else {
                throw invalidProof("The proof is about another access token")
            }
        }
        if let nonces, claims["nonce"]?.stringValue.map(nonces.accepts) != true {
            throw proofFailure("use_dpop_nonce", "The proof must carry the nonce of this server")
        }
        guard let id = claims["jti"]?.stringValue, !id.isEmpty, id.utf8.count <= Self.longestID,
            backend.usedProofs.withLock({ $0.insert(id).inserted })
        else { throw invalidProof("The proof was used before") }
    }

    /// The token of `Authorization` under `scheme`, good or not; `nil` when there is another scheme or none. Schemes are
    /// compared without regard to case (RFC 9110 section 11.1).
    func credentials(_ scheme: String) -> String? {
        let parts = (request.header("Authorization") ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == scheme.lowercased() else { return nil }
        return String(parts[1])
    }

    private func invalidProof(_ description: String) -> ThunderIDFailure {
        proofFailure("invalid_dpop_proof", description)
    }

    /// A resource answers 401 with a challenge (RFC 9449 section 7.1), the token endpoint 400 (section 5).
    private func proofFailure(_ error: String, _ description: String) -> ThunderIDFailure {
        guard credentials("DPoP") != nil else { return .oauth(error, description) }
        return .oauth(
            status: 401, error: error, description: description, challenge: "DPoP error=\"\(error)\"")
    }
}
