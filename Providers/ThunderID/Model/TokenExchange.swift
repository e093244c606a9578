import IdentityKit
import IdentityOAuth

/// The request of a token exchange (RFC 8693).
///
/// The server requires the ``subjectTokenType`` `urn:ietf:params:oauth:token-type:jwt` for the assertion of a native
/// sign-in, and `urn:ietf:params:oauth:token-type:access_token` for an access token.
public struct TokenExchangeRequestConfig: Sendable, Hashable {
    /// The token that represents the subject. If it is empty, the client sends a token of the session: the refresh token if
    /// ``subjectTokenType`` is the type of refresh tokens, or else the access token or assertion.
    public var subjectToken: String
    /// The type of ``subjectToken``, as a URI. Without a ``subjectToken``, the client sets the type itself, unless the
    /// type is `urn:ietf:params:oauth:token-type:refresh_token`.
    public var subjectTokenType: String
    /// The type of token to issue, as a URI; `nil` leaves the choice to the server.
    public var requestedTokenType: String?
    /// The service that the token is for (`audience`). Servers up to version 1.0 ignore it.
    public var audience: String?
    /// The API that the token is for, as an absolute URI (RFC 8707).
    public var resource: String?
    /// The requested scopes, at most those of the subject token; `nil` for all scopes of the subject token.
    public var scopes: [String]?
    /// The token of the party that acts on behalf of the subject.
    public var actorToken: String?
    /// The type of ``actorToken``, as a URI; `nil` for an access token.
    public var actorTokenType: String?

    public init(
        subjectToken: String = "", subjectTokenType: String = "", requestedTokenType: String? = nil,
        audience: String? = nil, resource: String? = nil, scopes: [String]? = nil, actorToken: String? = nil,
        actorTokenType: String? = nil
    ) {
        self.subjectToken = subjectToken
        self.subjectTokenType = subjectTokenType
        self.requestedTokenType = requestedTokenType
        self.audience = audience
        self.resource = resource
        self.scopes = scopes
        self.actorToken = actorToken
        self.actorTokenType = actorTokenType
    }
}

extension TokenExchangeRequestConfig: CustomStringConvertible, Reticent {
    public var description: String { "TokenExchangeRequestConfig(\(subjectTokenType))" }
    package var shown: KeyValuePairs<String, Any> { ["subjectTokenType": subjectTokenType] }
}

/// The response to ``ThunderIDClient/exchangeToken(config:sessionId:)`` (RFC 8693 section 2.2).
public struct TokenResponse: Sendable, Hashable, Codable {
    public let accessToken: String
    /// The type of the access token, usually `Bearer`.
    public let tokenType: String
    /// Lifetime of the access token, in seconds; `nil` if the server does not report it.
    public let expiresIn: Int?
    /// The refresh token; `nil` from a ThunderID server, which issues none for an exchange.
    public let refreshToken: String?
    /// The ID token; `nil` from a ThunderID server, which issues none for an exchange.
    public let idToken: String?
    /// The granted scopes, separated by spaces. If the server does not report them, the requested scopes; `nil` if none
    /// were requested.
    public let scope: String?
    /// The type of the issued token, as a URI; `nil` if the server does not report it.
    public let issuedTokenType: String?

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case scope
        case issuedTokenType = "issued_token_type"
    }

    public init(
        accessToken: String, tokenType: String, expiresIn: Int? = nil, refreshToken: String? = nil,
        idToken: String? = nil, scope: String? = nil, issuedTokenType: String? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scope = scope
        self.issuedTokenType = issuedTokenType
    }

    init(_ response: TokenEndpointResponse) {
        self.init(
            accessToken: response.accessToken.reveal(), tokenType: (response.tokenType ?? .bearer).rawValue,
            expiresIn: response.expiresIn.map { Int($0.components.seconds) },
            refreshToken: response.refreshToken?.reveal(), idToken: response.idToken?.reveal(),
            scope: response.scopes?.joined(separator: " "), issuedTokenType: response.issuedTokenType?.rawValue)
    }
}

extension TokenResponse: CustomStringConvertible, Reticent {
    public var description: String { "TokenResponse(\(tokenType), expires in \(expiresIn ?? 0) s)" }
    package var shown: KeyValuePairs<String, Any> { ["tokenType": tokenType] }
}
