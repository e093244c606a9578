import IdentityKit

/// Verifies the signature of a JWS (RFC 7515 section 5.2) against a set of keys.
package struct SignatureVerifier: Sendable, Hashable {
    /// The algorithms that are accepted, never more than ``SigningAlgorithm/verifiable``.
    package let allowedAlgorithms: Set<SigningAlgorithm>

    /// Accepts every algorithm this library verifies, or only those of them in `allowed`.
    package init(allowing allowed: some Sequence<SigningAlgorithm> = SigningAlgorithm.verifiable) {
        allowedAlgorithms = SigningAlgorithm.verifiable.intersection(allowed)
    }

    /// Checks that one of `keys` made the signature of `message`, and returns that key.
    /// - Throws: ``OAuthError/invalidToken(_:)``.
    @discardableResult
    package func verify(_ message: JSONWebSignature, with keys: JSONWebKeySet) throws -> JSONWebKey {
        let (algorithm, scheme) = try algorithm(of: message)
        let key = try keys.key(for: algorithm, keyID: message.keyID)
        guard key.material.accepts(message.signature, over: message.signingInput, by: scheme) else {
            throw OAuthError.invalidToken(.invalidSignature)
        }
        return key
    }

    /// The algorithm of the header if it is accepted. The rest of the header has no say in how to verify: a `jwk`,
    /// `jku` or `x5c` would let the signer name its own key.
    /// - Throws: ``OAuthError/invalidToken(_:)`` for another algorithm and for critical extensions, among them `b64`, which
    ///   changes what is signed and must not come without `crit` (RFC 7797 section 6).
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
