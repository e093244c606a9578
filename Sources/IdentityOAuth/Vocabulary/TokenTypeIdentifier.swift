/// The kind of a token in a token exchange (RFC 8693 section 3).
public struct TokenTypeIdentifier: OpenEnum {
    /// The URI on the wire, which may be unknown to this version of the library.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// An OAuth access token that the authorization server of the exchange has issued.
    public static let accessToken: TokenTypeIdentifier = "urn:ietf:params:oauth:token-type:access_token"
    /// An OAuth refresh token that the authorization server of the exchange has issued.
    public static let refreshToken: TokenTypeIdentifier = "urn:ietf:params:oauth:token-type:refresh_token"
    /// An OpenID Connect ID token.
    public static let idToken: TokenTypeIdentifier = "urn:ietf:params:oauth:token-type:id_token"
    /// An Identity Assertion JWT Authorization Grant, by which one server vouches for a person at another server.
    public static let identityAssertion: TokenTypeIdentifier = "urn:ietf:params:oauth:token-type:id-jag"
    /// A JSON Web Token of any meaning, such as an assertion.
    public static let jwt: TokenTypeIdentifier = "urn:ietf:params:oauth:token-type:jwt"
}
