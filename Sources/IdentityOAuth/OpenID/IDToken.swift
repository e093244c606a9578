import Foundation
import IdentityKit

/// A verified ID token: who signed in, and how (OpenID Connect Core section 2). Only `IDTokenValidator` makes one.
public struct IDToken: Sendable {
    /// The token as it was received.
    package let encoded: Secret
    public let claims: [String: JSONValue]
    public let issuer: String
    /// Identifier of the person (`sub`), unique at the issuer.
    public let subject: String
    /// Identifier of the person, unique at the server: the ``subject``, and at a multi-tenant server the subject
    /// together with the tenant.
    public let person: String
    /// Audiences of the token, at least one.
    package let audience: [String]
    /// The time at which the token was issued, by the server's clock.
    package let issuedAt: Date
    /// The time at which the token stops being valid, by the server's clock.
    public let expiresAt: Date
    /// The time at which the person signed in, by the server's clock.
    package let authenticatedAt: Date?

    /// How the person signed in (`acr`).
    package var authenticationContext: String? { claims["acr"]?.stringValue }
}

extension IDToken: CustomReflectable {
    /// Shows the issuer and subject, and of the claims only the names.
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
