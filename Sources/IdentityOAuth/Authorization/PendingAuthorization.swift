import Foundation
import IdentityKit

/// The record of a sign-in whose response has not arrived, with everything that is needed to check the callback.
///
/// Several sign-ins can be open at once, and `state` identifies them. The record contains the code verifier, so keep it only
/// in a store that encrypts its content.
public struct PendingAuthorization: Sendable, Hashable, Codable {
    /// The unguessable identifier of the flow, which the response repeats.
    package let state: String
    /// The nonce that the ID token must contain.
    package let nonce: String
    /// The PKCE secret, with which the token request proves that it belongs to this flow.
    package let codeVerifier: CodeVerifier
    /// The address at which the response must arrive. The token request repeats the address. `nil` if the authorization
    /// request named none; the server then uses the only registered one.
    package let redirectURI: URL?
    /// The issuer identifier of the server; `nil` if the server has none, or if the server's metadata is discovered later.
    package private(set) var issuer: String?
    /// Whether the response must contain an `iss` (RFC 9207).
    package private(set) var requiresIssuer: Bool
    /// The identifier of the client that requested the authorization code.
    package let clientID: String
    /// The requested scopes, in the order of the request.
    package let scopes: [String]
    /// The greatest age of the person's authentication in seconds, which the ID token must prove; `nil` for any age.
    package internal(set) var maxAge: Int?
    /// The requested authentication context classes, best first.
    package internal(set) var acrValues: [String]
    /// The identifier of the person who must sign in, usually the `sub` of the ID token; `nil` for any person.
    package internal(set) var subject: String?
    /// Whether PKCE binds the authorization code to this flow (RFC 7636).
    package internal(set) var usesCodeChallenge = true
    /// The private key to which the authorization code is bound, as a JWK (RFC 9449 section 10); `nil` for none.
    package internal(set) var proofKey: Secret?
    /// The resources that the request names (RFC 8707); `nil` for none.
    var resources: [String]?
    /// The resource for which the flow requests tokens in addition to the session's own; `nil` if the flow starts or
    /// renews the session itself.
    var apart: String?
    /// The time at which the flow was started.
    package let createdAt: Date
    /// The time from which the response is refused.
    public let expiresAt: Date
}

extension PendingAuthorization {
    /// Returns a copy with the issuer from `metadata`, for a flow that was started before its server was discovered.
    package func bound(to metadata: AuthorizationServerMetadata) -> PendingAuthorization {
        var bound = self
        (bound.issuer, bound.requiresIssuer) = (metadata.issuer, metadata.sendsIssuerInAuthorizationResponse)
        return bound
    }
}

extension PendingAuthorization: Reticent {
    /// Leaves out the person's identifier and all secrets, such as `state`, `nonce`, code verifier and private key.
    package var shown: KeyValuePairs<String, Any> {
        [
            "issuer": issuer?.addressAlone as Any,
            "clientID": clientID,
            "redirectURI": redirectURI?.addressAlone as Any,
            "scopes": scopes,
            "createdAt": createdAt,
            "expiresAt": expiresAt,
        ]
    }
}
