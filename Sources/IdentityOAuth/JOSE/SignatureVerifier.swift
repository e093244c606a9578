import IdentityKit

/// Verifies the signature of a JWS (RFC 7515 section 5.2) against a set of keys.
package struct SignatureVerifier: Sendable, Hashable {
    /// The algorithms that are accepted, never more than ``SigningAlgorithm/verifiable``.
    package let allowedAlgorithms: Set<SigningAlgorithm>

    /// Creates a verifier for the algorithms in `allowed`. Those that are not ``SigningAlgorithm/verifiable`` are ignored.
    package init(allowing allowed: some Sequence<SigningAlgorithm> = SigningAlgorithm.verifiable) {
        allowedAlgorithms = SigningAlgorithm.verifiable.intersection(allowed)
    }

    /// Checks that one of `keys` made the signature of `message`, and returns that key.
    /// - Throws: ``OAuthError/invalidToken(_:)`` when the algorithm is not accepted, the header has `crit` or `b64`, no
    ///   key fits, several different keys fit, or the signature is wrong.
    @discardableResult
    package func verify(_ message: JSONWebSignature, with keys: JSONWebKeySet) throws -> JSONWebKey {
        let (algorithm, scheme) = try algorithm(of: message)
        let key = try keys.key(for: algorithm, keyID: message.keyID)
        guard key.material.accepts(message.signature, over: message.signingInput, by: scheme) else {
            throw OAuthError.invalidToken(.invalidSignature)
        }
        return key
    }

    /// Returns the algorithm of the header, and its signature scheme. A `jwk`, `jku` or `x5c` in the header is ignored,
    /// because it would let the signer provide the key.
    /// - Throws: ``OAuthError/invalidToken(_:)`` for an algorithm that is not accepted, and for a header with `crit` or `b64`.
    ///   The member `b64` changes the signed bytes (RFC 7797 section 3). It is refused even without the `crit` that RFC 7797
    ///   section 6 requires.
    func algorithm(of message: JSONWebSignature) throws -> (SigningAlgorithm, SignatureScheme) {
        guard message.header["crit"] == nil, message.header["b64"] == nil else {
            throw OAuthError.invalidToken(.criticalExtension)
        }
        let name = message.header["alg"]?.stringValue ?? ""
        let algorithm = SigningAlgorithm(rawValue: name)
        guard allowedAlgorithms.contains(algorithm), let scheme = algorithm.scheme else {
            throw OAuthError.invalidToken(.unacceptedAlgorithm(name))
        }
        return (algorithm, scheme)
    }
}
