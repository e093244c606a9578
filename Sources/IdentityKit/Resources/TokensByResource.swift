/// How a server issues access tokens for several resources with one refresh token.
public enum TokensByResource: String, Sendable, Codable, CaseIterable {
    /// A refresh names the resource (RFC 8707 section 2.2). The token is a JWT with the resource as audience, or an
    /// opaque token whose audience the introspection endpoint returns (RFC 7662).
    case rfc8707
    /// As ``rfc8707``, for a server that is known to honor the resource although its opaque tokens show no audience.
    case opaque
    /// A refresh names scopes of one resource, each prefixed with the resource, as at Microsoft Entra ID.
    case entra
    /// A refresh has the resource in the parameter `audience` instead of `resource`, as at Auth0.
    case auth0
    /// Every token is for the single audience of the authorization server, as at Okta. A second audience needs a second
    /// provider.
    case okta
    /// A session has a single token, for all resources.
    case none

    /// A sentence to append to the reason of a ``KeyRefusal``.
    package static let advice = " The setting tokensByResource says how the server is asked."

    /// Whether the server issues a token for each set of scopes.
    package var isByScopes: Bool { self == .entra }
}
