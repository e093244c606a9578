import Foundation
import IdentityKit

/// The record of a sign-in whose response has not arrived: everything needed to check the callback. Several can be open
/// at once, keyed by ``state``. The code verifier is in it, so a store that keeps it must be sealed.
public struct PendingAuthorization: Sendable, Hashable, Codable {
    /// Unguessable identifier of the flow, which the response repeats.
    public let state: String
    /// The nonce that the ID token must contain.
    package let nonce: String
    /// Secret that the token request must prove.
    package let codeVerifier: CodeVerifier
    /// The address at which the response must arrive, repeated by the token request; `nil` if the request named none,
    /// and the server uses the only registered one.
    public let redirectURI: URL?
    /// The server the person was sent to; `nil` for a server that has no issuer identifier.
    public private(set) var issuer: String?
    /// Whether the response must name its issuer (RFC 9207).
    package private(set) var requiresIssuer: Bool
    /// The client the code belongs to.
    public let clientID: String
    /// The scopes asked for, in the order they were sent.
    public let scopes: [String]
    /// The greatest age of the sign-in in seconds; the ID token must prove it.
    package internal(set) var maxAge: Int?
    /// The authentication classes that were asked for.
    package internal(set) var acrValues: [String]
    /// The person who must come back, by the `sub` of the ID token; `nil` for any person.
    public internal(set) var subject: String?
    /// Whether the code is bound to this flow (RFC 7636).
    package internal(set) var usesCodeChallenge = true
    /// The private key that the code is bound to (RFC 9449 section 10); `nil` for none.
    package internal(set) var proofKey: Secret?
    /// The resources that the request names (RFC 8707).
    var resources: [String]?
    /// The additional resource that the flow is for; `nil` for the session's own authorization.
    var apart: String?
    /// When the flow was started.
    package let createdAt: Date
    /// The time from which the response is refused.
    public let expiresAt: Date
}

extension PendingAuthorization {
    /// Binds the flow to the issuer of a server that was discovered only after the flow had been started.
    package func bound(to metadata: AuthorizationServerMetadata) -> PendingAuthorization {
        var bound = self
        (bound.issuer, bound.requiresIssuer) = (metadata.issuer, metadata.sendsIssuerInAuthorizationResponse)
        return bound
    }
}

extension PendingAuthorization: CustomReflectable {
    /// Shows neither `state` nor `nonce` nor the code verifier.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "issuer": issuer?.addressAlone as Any,
                "clientID": clientID,
                "redirectURI": redirectURI?.addressAlone as Any,
                "scopes": scopes,
                "createdAt": createdAt,
                "expiresAt": expiresAt,
            ])
    }
}
