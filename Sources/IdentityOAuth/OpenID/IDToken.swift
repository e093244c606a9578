import Foundation
import IdentityKit

/// A verified ID token: who signed in, and how (OpenID Connect Core section 2). Only `IDTokenValidator` makes one.
public struct IDToken: Sendable {
    /// The token as it was received.
    package let encoded: Secret
    public let claims: [String: JSONValue]
    public let issuer: String
    /// The person whom the token is about, unique at the issuer.
    public let subject: String
    /// The person whom the token is about, unique at the server: the ``subject``, at a server with many tenants
    /// together with the tenant.
    public let person: String
    /// Audiences of the token, at least one.
    package let audience: [String]
    /// When it was issued, by the server's clock.
    package let issuedAt: Date
    /// When it stops being valid, by the server's clock.
    public let expiresAt: Date
    /// When the person signed in, by the server's clock.
    package let authenticatedAt: Date?

    /// How the person signed in (`acr`).
    package var authenticationContext: String? { claims["acr"]?.stringValue }
}

extension IDToken: CustomReflectable {
    /// Shows who it is about, and of the claims the names alone.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "issuer": issuer,
                "subject": subject,
                "audience": audience,
                "issuedAt": issuedAt,
                "expiresAt": expiresAt,
                "authenticatedAt": authenticatedAt as Any,
                "claims": claims.namesAlone,
            ])
    }
}
