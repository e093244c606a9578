/// How a server issues access tokens for several resources under one refresh token.
public enum TokensByResource: String, Sendable, Codable, CaseIterable {
    /// A refresh names the resource (RFC 8707 section 2.2), and the token is a JWT whose audience says so.
    case rfc8707
    /// As ``rfc8707``, at a server that is known to keep to the resource although its tokens show no audience.
    case opaque
    /// A refresh names the scopes of one resource, each with the resource before it, as at Microsoft Entra ID.
    case entra
    /// A refresh names the audience, as at Auth0.
    case auth0
    /// Every token is for the one audience of the authorization server, as at Okta. Another one takes another provider.
    case okta
    /// A session has a single token, for all resources.
    case none

    /// The advice in a refusal, beside the server's words.
    package static let advice = " The setting tokensByResource says how the server is asked."

    /// Whether a token is issued for each set of scopes.
    package var isByScopes: Bool { self == .entra }
}
