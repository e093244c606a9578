import Foundation
import IdentityKit

/// A decoded JSON Web Token (RFC 7519 section 7.2) that is not verified.
///
/// Use it for hints, such as the expiry of a token. For anything else, verify the token first.
package struct JSONWebToken: Sendable {
    /// The signed message: header, signing input and signature.
    package let message: JSONWebSignature
    package let claims: [String: JSONValue]

    /// Decodes a token.
    /// - Throws: ``OAuthError/invalidToken(_:)`` when it is larger than 64 KiB, malformed, encrypted or nested, or when
    ///   its header or claims name a member twice.
    package init(_ token: Secret) throws {
        message = try JSONWebSignature(compact: token.reveal())
        if let contentType = message.header["cty"]?.stringValue, contentType.uppercased() == "JWT" {
            throw OAuthError.invalidToken(.nested)
        }
        claims = try JSONWebSignature.object(message.payload, otherwise: .malformedClaims)
    }

    package var header: [String: JSONValue] { message.header }
    /// The signed bytes: the first two parts with the dot between them.
    package var signingInput: Data { message.signingInput }
    package var signature: Data { message.signature }
    /// The `alg` of the header.
    package var algorithm: String? { header["alg"]?.stringValue }
    /// The `kid` of the header.
    package var keyID: String? { message.keyID }
    /// The `typ` of the header, such as `at+jwt`.
    package var type: String? { header["typ"]?.stringValue }
    /// The `typ` if it names a special kind of JWT, such as `at+jwt` (RFC 8725 section 3.11); `nil` for a plain JWT, whose
    /// `typ` does not end with `+jwt`.
    var explicitType: String? { type.flatMap { $0.lowercased().hasSuffix("+jwt") ? $0 : nil } }

    /// Issuer of the token (`iss`).
    package var issuer: String? { claims["iss"]?.stringValue }
    /// Subject of the token (`sub`).
    package var subject: String? { claims["sub"]?.stringValue }
    /// Audience of the token (`aud`), written as one string or as several; `nil` when absent or malformed.
    package var audience: [String]? {
        switch claims["aud"] {
        case .string(let value): return [value]
        case .array(let values):
            let audience = values.compactMap(\.stringValue)
            return audience.count == values.count ? audience : nil
        default: return nil
        }
    }
    /// The time at which the token stops being valid (`exp`).
    package var expiresAt: Date? { date("exp") }
    /// The time at which the token starts being valid (`nbf`).
    package var notBefore: Date? { date("nbf") }
    /// The time at which the token was issued (`iat`).
    package var issuedAt: Date? { date("iat") }

    /// The time from `iat` to `exp`, which does not depend on this machine's clock; `nil` if `iat` or `exp` is absent or
    /// invalid, or `exp` is before `iat`.
    package var lifetime: Duration? {
        guard let issuedAt, let expiresAt else { return nil }
        return Duration(outsideSeconds: expiresAt.timeIntervalSince(issuedAt))
    }

    /// Returns a claim that is a date: seconds since 1970, possibly with a fraction (RFC 7519 section 2).
    /// - Returns: `nil` if the claim is absent, is not a number, or is outside of the years 1 to 9999.
    package func date(_ claim: String) -> Date? {
        claims[claim]?.numberValue.flatMap(Date.init(outsideSecondsSince1970:))
    }
}

extension JSONWebToken: Reticent {
    /// Shows the names of the header's members and of the claims, without their values.
    package var shown: KeyValuePairs<String, Any> { ["message": message, "claims": claims.namesAlone] }
}
