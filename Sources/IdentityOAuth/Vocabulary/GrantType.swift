/// The type of a grant: the `grant_type` of a token request (RFC 6749 section 4).
package struct GrantType: OpenEnum {
    /// The value on the wire, which may be unknown to this version of the library.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// An authorization code (RFC 6749 section 4.1.3).
    package static let authorizationCode: GrantType = "authorization_code"
    /// A refresh token (RFC 6749 section 6).
    package static let refreshToken: GrantType = "refresh_token"
    /// The client's own credentials (RFC 6749 section 4.4).
    package static let clientCredentials: GrantType = "client_credentials"
    /// A JSON Web Token that the client or another issuer has signed (RFC 7523 section 2.1).
    package static let jwtBearer: GrantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    /// The exchange of a token for one of another kind, audience or issuer (RFC 8693 section 2.1).
    package static let tokenExchange: GrantType = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// A device code (RFC 8628).
    package static let deviceCode: GrantType = "urn:ietf:params:oauth:grant-type:device_code"
    /// The identifier of a sign-in that the person confirms on another device (OpenID Connect CIBA Core section 10.1).
    package static let backchannel: GrantType = "urn:openid:params:grant-type:ciba"
}
