import Foundation
import IdentityKit

/// The record of one sign-in that was started and has not returned: all that is needed to trust its answer.
///
/// Several can be open at once, keyed by ``state``. A store may keep one across a restart of the app; it holds the code
/// verifier, so the store must be sealed.
public struct PendingAuthorization: Sendable, Hashable, Codable {
    /// The unguessable name of the flow, which the server echoes.
    public let state: String
    /// What the ID token must contain.
    public let nonce: String
    /// What the token request must prove.
    public let codeVerifier: CodeVerifier
    /// Where the answer must arrive, and what the token request must repeat.
    public let redirectURI: URL
    /// The server the person was sent to; `nil` for a server that has no issuer identifier.
    public let issuer: String?
    /// Whether the answer must name its issuer (RFC 9207).
    public let requiresIssuer: Bool
    /// The client the code belongs to.
    public let clientID: String
    /// The scopes asked for, in the order they were sent.
    public let scopes: [String]
    /// How old the sign-in may be, in seconds; the ID token must prove it.
    public internal(set) var maxAge: Int?
    /// The authentication classes that were asked for.
    public internal(set) var acrValues: [String]
    /// The person who must come back, by the `sub` of the ID token; `nil` for anybody.
    public internal(set) var subject: String?
    /// When the flow was started.
    public let createdAt: Date
    /// From when on the answer is refused.
    public let expiresAt: Date
}

extension PendingAuthorization {
    /// The same flow, held to the issuer of a server that was discovered only after the flow had been started.
    package func bound(to metadata: AuthorizationServerMetadata) -> PendingAuthorization {
        PendingAuthorization(
            state: state, nonce: nonce, codeVerifier: codeVerifier, redirectURI: redirectURI, issuer: metadata.issuer,
            requiresIssuer: metadata.sendsIssuerInAuthorizationResponse, clientID: clientID, scopes: scopes,
            maxAge: maxAge, acrValues: acrValues, subject: subject, createdAt: createdAt, expiresAt: expiresAt)
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
                "redirectURI": redirectURI.addressAlone,
                "scopes": scopes,
                "createdAt": createdAt,
                "expiresAt": expiresAt,
            ])
    }
}
