import Foundation
import IdentityKit

/// A JSON Web Token taken apart (RFC 7519 section 7.2), not verified.
///
/// Good for hints, such as when a token expires. For anything else, verify it first.
public struct JSONWebToken: Sendable {
    /// The signed message: header, signing input and signature.
    public let message: JSONWebSignature
    public let claims: [String: JSONValue]

    /// Takes a token apart.
    /// - Throws: ``OAuthError/invalidToken(_:)`` when it is larger than 64 KiB, malformed, encrypted or nested, or when
    ///   its header or claims name a member twice.
    public init(_ token: Secret) throws {
        message = try JSONWebSignature(compact: token.reveal())
        if let contentType = message.header["cty"]?.stringValue, contentType.uppercased() == "JWT" {
            throw OAuthError.invalidToken(.nested)
        }
        claims = try JSONWebSignature.object(message.payload, otherwise: .malformedClaims)
    }

    public var header: [String: JSONValue] { message.header }
    /// The signed bytes of the token.
    public var signingInput: Data { message.signingInput }
    public var signature: Data { message.signature }
    /// The `alg` of the header.
    public var algorithm: String? { header["alg"]?.stringValue }
    /// The `kid` of the header.
    public var keyID: String? { message.keyID }
    /// The `typ` of the header, such as `at+jwt`.
    public var type: String? { header["typ"]?.stringValue }
    /// The `typ` where it names a kind of token of its own, such as `at+jwt`; `nil` for a plain JWT (RFC 8725
    /// section 3.11).
    var explicitType: String? { type.flatMap { $0.lowercased().hasSuffix("+jwt") ? $0 : nil } }

    /// Issuer of the token (`iss`).
    public var issuer: String? { claims["iss"]?.stringValue }
    /// Subject of the token (`sub`).
    public var subject: String? { claims["sub"]?.stringValue }
    /// Audience of the token (`aud`), written as one string or as several; `nil` when absent or malformed.
    public var audience: [String]? {
        switch claims["aud"] {
        case .string(let value): return [value]
        case .array(let values):
            let audience = values.compactMap(\.stringValue)
            return audience.count == values.count ? audience : nil
        default: return nil
        }
    }
    /// When it stops being valid (`exp`).
    public var expiresAt: Date? { date("exp") }
    /// When it starts being valid (`nbf`).
    public var notBefore: Date? { date("nbf") }
    /// When it was issued (`iat`).
    public var issuedAt: Date? { date("iat") }

    /// How long it is valid from its issue: what an unsynchronised clock can still tell.
    public var lifetime: Duration? {
        guard let issuedAt, let expiresAt else { return nil }
        return Duration(outsideSeconds: expiresAt.timeIntervalSince(issuedAt))
    }

    /// A claim that is a date: seconds since 1970, also with a fraction (RFC 7519 section 2). `nil` for a number that
    /// is no date until the year 9999.
    public func date(_ claim: String) -> Date? {
        claims[claim]?.numberValue.flatMap(Date.init(outsideSecondsSince1970:))
    }
}

extension JSONWebToken: CustomReflectable {
    /// Shows the names of the claims alone.
    public var customMirror: Mirror { Mirror(self, showing: ["message": message, "claims": claims.namesAlone]) }
}
