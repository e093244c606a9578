import Foundation

/// A user's grant to a client. Every token of a sign-in comes from one grant and is revoked with it.
struct OpenIDGrant: Codable, Sendable {
    let id: String
    let clientID: String
    /// `sub`: a user, or the client itself when it speaks for itself.
    let subject: String
    let scopes: [String]
    /// When the person signed in; `nil` when there is none.
    let authenticatedAt: Date?
    let nonce: String?
    /// The resources the tokens are for (RFC 8707).
    var resources: [String] = []
    /// The key the tokens are bound to (RFC 9449 section 6.1).
    var keyThumbprint: String?

    /// Binds the grant to the key of the token request.
    func bound(to thumbprint: String?) -> OpenIDGrant {
        var copy = self
        copy.keyThumbprint = thumbprint
        return copy
    }
}
