import IdentityKit

/// The reason why a JWT, or the key that verifies it, cannot be used.
public enum InvalidTokenReason: Sendable, Equatable {
    /// The token is longer than the limit, in bytes.
    case tooLarge(limit: Int)
    /// The token does not consist of three base64url parts (RFC 7515 section 7.1), its header is not a JSON object, or its
    /// `kid` is not a string.
    case malformed
    /// The claims are not a JSON object (RFC 7519 section 7.2).
    case malformedClaims
    /// The header or the claims name one member twice (RFC 7515 section 4, RFC 7519 section 4).
    case duplicateMember(String)
    /// The token is encrypted (RFC 7516): it has five parts, or `enc` in its header.
    case encrypted
    /// The payload of the token is another JWT, as the `cty` of its header shows (RFC 7519 section 5.2).
    case nested
    /// The header has `crit` (RFC 7515 section 4.1.11) or `b64` (RFC 7797). This library supports no such extension.
    case criticalExtension
    /// The `alg` is `none`, an HMAC, unknown, not among the allowed algorithms, or absent. For an absent `alg` the value is
    /// empty.
    case unacceptedAlgorithm(String)
    /// No published key fits the token's `kid` and `alg`.
    case keyNotFound
    /// Several different published keys fit, because the token has no `kid`, or because the keys have the same `kid`.
    case ambiguousKey
    /// The key with the token's `kid` has another type or curve than the token's `alg` requires (RFC 7518 section 3.1), such
    /// as a key on P-384 for `ES512`.
    case unfitKey(SigningAlgorithm)
    /// The signature was not made by the key.
    case invalidSignature
    /// A JWK has an unknown type or curve, its numbers do not make a key (RFC 7518 section 6), or its RSA modulus has less
    /// than 256 or more than 1024 bytes.
    case unusableKey
    /// A key is so weak that others can forge its signatures: an RSA key from the generator of CVE-2017-15361 ("ROCA"), an
    /// RSA key with an exponent below 2^16, or an Ed25519 point of small order.
    case weakKey
    /// The document is not a JWK set (RFC 7517 section 5): its `keys` is not an array.
    case malformedKeySet
}

extension InvalidTokenReason: ErrorReason {
    var code: String {
        switch self {
        case .tooLarge: "jwt_too_large"
        case .malformed: "jwt_malformed"
        case .malformedClaims: "jwt_malformed_claims"
        case .duplicateMember: "jwt_duplicate_member"
        case .encrypted: "jwt_encrypted"
        case .nested: "jwt_nested"
        case .criticalExtension: "jwt_critical_extension"
        case .unacceptedAlgorithm: "jwt_unaccepted_algorithm"
        case .keyNotFound: "jwt_key_not_found"
        case .ambiguousKey: "jwt_ambiguous_key"
        case .unfitKey: "jwt_unfit_key"
        case .invalidSignature: "jwt_invalid_signature"
        case .unusableKey: "jwk_unusable"
        case .weakKey: "jwk_weak"
        case .malformedKeySet: "jwks_malformed"
        }
    }

    /// Transient for a missing key, because the server may publish it soon. Every other reason is definitive.
    var failureClass: FailureClass { self == .keyNotFound ? .transient : .definitive }

    var message: String {
        switch self {
        case .tooLarge(let limit): "The token is larger than \(limit) bytes and was refused."
        case .malformed: "The token is not a signed JSON Web Token."
        case .malformedClaims: "The token's claims are not a JSON object."
        case .duplicateMember(let name): "The token names \(sanitized(name)) twice and was refused."
        case .encrypted:
            "The token is encrypted, which this client does not support. Turn token encryption off at the server."
        case .nested: "The token wraps another token, which this client does not support."
        case .criticalExtension: "The token depends on an extension this client does not know."
        case .unacceptedAlgorithm(let name):
            "The token is signed by \"\(sanitized(name))\", which is not accepted. "
                + "Use one of RS, PS and ES 256 to 512 or EdDSA at the server."
        case .keyNotFound: "The server publishes no key that fits the token. Try again in a minute."
        case .ambiguousKey: "The token does not say which of the server's keys signed it."
        case .unfitKey(let algorithm):
            "The key that the token names cannot have made a signature by \(sanitized(algorithm.rawValue)). "
                + "Correct the signing key or the algorithm at the server."
        case .invalidSignature: "The token's signature is wrong. It was refused."
        case .unusableKey: "The key is of an unknown kind, too weak, or malformed."
        case .weakKey:
            "The server's signing key is weak: of a flawed generator (CVE-2017-15361), with an RSA exponent below 65536, or of "
                + "small order. Replace it at the server."
        case .malformedKeySet: "The server's keys are not a JSON Web Key Set."
        }
    }
}
