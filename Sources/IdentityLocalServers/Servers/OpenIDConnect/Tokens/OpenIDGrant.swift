import Foundation

/// The access that a user granted to a client, or that a client has without a user. All tokens with the same grant identifier
/// are revoked together.
struct OpenIDGrant: Codable, Sendable {
    let id: String
    let clientID: String
    /// The `sub` of the tokens: the identifier of a user, the client's own identifier, or the subject of an assertion or of a
    /// trusted issuer's token.
    let subject: String
    let scopes: [String]
    /// The time of the person's sign-in; `nil` for grants without a sign-in, such as `client_credentials`.
    let authenticatedAt: Date?
    let nonce: String?
    /// The resources for which the client requested tokens (RFC 8707).
    var resources: [String] = []
    /// The thumbprint of the key that the tokens are bound to (RFC 9449 section 6.1); `nil` for bearer tokens.
    var keyThumbprint: String?

    /// Returns a copy for tokens that are bound to the key with this thumbprint; `nil` makes them bearer tokens.
    func bound(to thumbprint: String?) -> OpenIDGrant {
        var copy = self
        copy.keyThumbprint = thumbprint
        return copy
    }
}
