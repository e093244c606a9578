import IdentityKit

/// Why a JWT cannot be read or is not accepted as it is built. All are definitive for that token.
public enum JSONWebTokenDefect: Sendable, Equatable {
    /// Longer than the limit, in bytes.
    case tooLarge(limit: Int)
    /// Not three base64url parts with a JSON header (RFC 7515 section 7.1).
    case malformed
    /// The claims are no JSON object (RFC 7519 section 7.2).
    case malformedClaims
    /// The header or the claims name one member twice (RFC 7515 section 4, RFC 7519 section 4).
    case duplicateMember(String)
    /// A JWE: five parts, or an encryption header (RFC 7516).
    case encrypted
    /// A JWT inside a JWT (RFC 7519 section 5.2).
    case nested
    /// A critical extension this client does not know (RFC 7515 section 4.1.11).
    case criticalExtension
}

extension JSONWebTokenDefect: Defect {
    var code: String {
        switch self {
        case .tooLarge: "jwt_too_large"
        case .malformed: "jwt_malformed"
        case .malformedClaims: "jwt_malformed_claims"
        case .duplicateMember: "jwt_duplicate_member"
        case .encrypted: "jwt_encrypted"
        case .nested: "jwt_nested"
        case .criticalExtension: "jwt_critical_extension"
        }
    }

    var failureClass: FailureClass { .definitive }

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
        }
    }
}
