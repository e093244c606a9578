import IdentityKit
import IdentityOAuth

/// A token exchange (RFC 8693).
///
/// The server exchanges an assertion of a native sign-in only under the type `urn:ietf:params:oauth:token-type:jwt`;
/// access tokens are `urn:ietf:params:oauth:token-type:access_token`.
public struct TokenExchangeRequestConfig: Sendable, Hashable {
    /// The token that says who it is about; empty for the one of the session.
    public var subjectToken: String
    /// The type of that token, as a URI; empty for the session's token, whose kind is known.
    public var subjectTokenType: String
    /// The type of token that is wanted; `nil` leaves it to the server.
    public var requestedTokenType: String?
    /// The service the token is for. Servers up to version 1.0 do not look at it.
    public var audience: String?
    /// The API the token is for, an absolute URI (RFC 8707).
    public var resource: String?
    /// The requested scopes, at most those of the subject token. `nil` for all of it.
    public var scopes: [String]?
    /// The token of the party that acts for the subject.
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
    /// How it is presented, `Bearer` as a rule.
    public let tokenType: String
    /// How many seconds it is good for.
    public let expiresIn: Int?
    /// A token that refreshes it; this server issues none for an exchange.
    public let refreshToken: String?
    /// An ID token; this server issues none for an exchange.
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
