#if Tools
import Foundation
import IdentityKit

/// Demonstrating proof of possession (RFC 9449; contract 2.8). The server gives no nonces.
extension ThunderIDCall {
    private static let algorithms: Set = ["ES256", "PS256", "ES384", "ES512", "EdDSA", "RS256"]
    /// How far the proof's clock may be off, in seconds.
    private static let tolerance: TimeInterval = 65
    private static let longestID = 256

    /// The thumbprint of the key that the call's proof proves; `nil` without a proof.
    /// - Parameter accessToken: the token the proof must be about, at a resource.
    /// - Throws: ``ThunderIDFailure`` with `invalid_dpop_proof`.
    func provenKey(accessToken: String? = nil) throws -> String? {
        let proofs = request.headers.filter { $0.name.caseInsensitiveCompare("DPoP") == .orderedSame }
        guard !proofs.isEmpty else { return nil }
        guard proofs.count == 1, let proof = SignedMessage(proofs[0].value),
            proof.header["typ"]?.stringValue == "dpop+jwt",
            Self.algorithms.contains(proof.header["alg"]?.stringValue ?? ""),
            let key = proof.header["jwk"].flatMap(PublicJWK.init), proof.isSigned(by: key)
        else { throw invalidProof("The proof is malformed or not signed by the key it names") }
        try checkClaims(proof.claims, accessToken: accessToken)
        return key.thumbprint
    }

    private func checkClaims(_ claims: JSONValue, accessToken: String?) throws {
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
        guard let id = claims["jti"]?.stringValue, !id.isEmpty, id.utf8.count <= Self.longestID,
            backend.usedProofs.withLock({ $0.insert(id).inserted })
        else { throw invalidProof("The proof was used before") }
    }

    /// The token of `Authorization`, when it is good and in the hands of whom it belongs to: a bound one only with a proof
    /// of its key, and never as a bearer token (RFC 9449 section 7).
    func presentedToken() throws -> VerifiedToken? {
        let parts = (request.header("Authorization") ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, ["Bearer", "DPoP"].contains(parts[0]), let token = backend.tokens.good(parts[1]) else {
            return nil
        }
        let key = parts[0] == "DPoP" ? try provenKey(accessToken: parts[1]) : nil
        return token["cnf"]?["jkt"]?.stringValue == key ? token : nil
    }

    /// Whether any token is presented.
    var presentsToken: Bool {
        ["Bearer ", "DPoP "].contains { request.header("Authorization")?.hasPrefix($0) == true }
    }

    private func invalidProof(_ description: String) -> ThunderIDFailure {
        guard request.header("Authorization")?.hasPrefix("DPoP ") == true else {
            return .oauth("invalid_dpop_proof", description)
        }
        return .oauth(
            status: 401, error: "invalid_dpop_proof", description: description,
            challenge: #"DPoP error="invalid_dpop_proof""#)
    }
}
#endif
