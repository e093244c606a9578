import Foundation
import IdentityKit

/// A verified ID token: who signed in, and how (OpenID Connect Core section 2). Only `IDTokenValidator` makes one.
package struct IDToken: Sendable {
    /// The token as it was received.
    package let encoded: Secret
    package let claims: [String: JSONValue]
    package let issuer: String
    /// Identifier of the person (`sub`), unique at the issuer.
    package let subject: String
    /// The identifier of the person, which is unique at the server: the ``subject``, or at a multi-tenant server the subject
    /// and the tenant, joined by `@`.
    package let person: String
    /// Audiences of the token, at least one.
    package let audience: [String]
    /// The time at which the token was issued, by the server's clock.
    package let issuedAt: Date
    /// The time at which the token stops being valid, by the server's clock.
    package let expiresAt: Date
    /// The time at which the person signed in (`auth_time`), by the server's clock; `nil` if the token does not state it.
    package let authenticatedAt: Date?
}

extension IDToken: Reticent {
    /// Shows the properties without `encoded` and ``person``, and only the names of the ``claims``.
    package var shown: KeyValuePairs<String, Any> {
        [
            "issuer": issuer,
            "subject": subject,
            "audience": audience,
            "issuedAt": issuedAt,
            "expiresAt": expiresAt,
            "authenticatedAt": authenticatedAt as Any,
            "claims": claims.namesAlone,
        ]
    }
}
