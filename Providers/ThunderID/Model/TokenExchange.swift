import IdentityKit
import IdentityOAuth

/// The request of a token exchange (RFC 8693).
///
/// For an assertion of a native sign-in the server requires the type `urn:ietf:params:oauth:token-type:jwt`, for an
/// access token `urn:ietf:params:oauth:token-type:access_token`.
public struct TokenExchangeRequestConfig: Sendable, Hashable {
    /// The token about the subject; empty for that of the session.
    public var subjectToken: String
    /// The type of ``subjectToken``, as a URI; empty for the session's token, whose type is known.
    public var subjectTokenType: String
    /// The type of token to issue, as a URI; `nil` leaves it to the server.
    public var requestedTokenType: String?
    /// The service that the token is for. Ignored by servers up to version 1.0.
    public var audience: String?
    /// The API that the token is for, as an absolute URI (RFC 8707).
    public var resource: String?
    /// The requested scopes, at most those of the subject token; `nil` for all of these.
    public var scopes: [String]?
    /// The token of the party that acts on behalf of the subject.
    public var actorToken: String?
    /// The token type of ``actorToken``.
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

extension TokenExchangeRequestConfig: CustomStringConvertible, CustomReflectable {
    public var description: String { "TokenExchangeRequestConfig(\(subjectTokenType))" }
    public var customMirror: Mirror { Mirror(self, children: ["subjectTokenType": subjectTokenType]) }
}

/// The response to a token exchange.
public struct TokenResponse: Sendable, Hashable, Codable {
    public let accessToken: String
    /// The type of the access token, usually `Bearer`.
    public let tokenType: String
    /// Lifetime of the access token, in seconds.
    public let expiresIn: Int?
    /// The refresh token; always `nil`, because the server issues none for an exchange.
    public let refreshToken: String?
    /// The ID token; always `nil`, because the server issues none for an exchange.
    public let idToken: String?
    /// The granted scopes, separated by spaces.
    public let scope: String?
    /// The type of the issued token, as a URI.
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

extension TokenResponse: CustomStringConvertible, CustomReflectable {
    public var description: String { "TokenResponse(\(tokenType), expires in \(expiresIn ?? 0) s)" }
    public var customMirror: Mirror { Mirror(self, children: ["tokenType": tokenType]) }
}
