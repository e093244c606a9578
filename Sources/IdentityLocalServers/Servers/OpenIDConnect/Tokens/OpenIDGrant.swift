import Foundation

/// A user's grant to a client. All tokens of a sign-in come from one grant and are revoked together.
struct OpenIDGrant: Codable, Sendable {
    let id: String
    let clientID: String
    /// The `sub`: a user, or the client itself for its own tokens.
    let subject: String
    let scopes: [String]
    /// The time of the person's sign-in; `nil` without a person.
    let authenticatedAt: Date?
    let nonce: String?
    /// The resources the tokens are for (RFC 8707).
    var resources: [String] = []
    /// The key the tokens are bound to (RFC 9449 section 6.1).
    var keyThumbprint: String?

    /// A copy bound to the key of the token request.
    func bound(to thumbprint: String?) -> OpenIDGrant {
        var copy = self
        copy.keyThumbprint = thumbprint
        return copy
    }
}
