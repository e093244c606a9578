import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A question to the server about a token (RFC 7662). As a rule only confidential clients may ask.
public struct IntrospectionRequest: Sendable {
    /// The introspection endpoint.
    public let introspectionEndpoint: URL
    /// Who asks.
    public let client: OAuthClient
    /// The token.
    public let token: Secret
    /// What kind of token it is, as a help to the server.
    public let tokenTypeHint: TokenTypeHint?

    /// Creates a request.
    public init(
        token: Secret, tokenTypeHint: TokenTypeHint? = nil, introspectionEndpoint: URL, client: OAuthClient
    ) {
        self.token = token
        self.tokenTypeHint = tokenTypeHint
        self.introspectionEndpoint = introspectionEndpoint
        self.client = client
    }

    /// The request to send.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint is not allowed.
    public func urlRequest() throws -> URLRequest {
        var fields = [FormField("token", token.reveal())]
        if let tokenTypeHint { fields.append(FormField("token_type_hint", tokenTypeHint.rawValue)) }
        return try client.request(to: introspectionEndpoint, fields: fields)
    }

    /// Reads the answer.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    public func response(from data: Data, _ response: HTTPURLResponse) throws -> IntrospectionResponse {
        try IntrospectionResponse(data, response)
    }

    /// Sends the request and reads the answer.
    /// - Throws: ``OAuthError``, or what the transport throws.
    public func send(using transport: any HTTPTransport) async throws -> IntrospectionResponse {
        try await client.send(proving: nil, using: transport, urlRequest, reading: response(from:_:))
    }
}

/// What the server says about a token (RFC 7662 section 2.2).
public struct IntrospectionResponse: Sendable, Hashable {
    /// Whether the token can be used now. When it cannot, nothing else is known.
    public let isActive: Bool
    /// Every member of the answer.
    public let members: [String: JSONValue]

    /// Reads an answer.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    public init(_ data: Data, _ response: HTTPURLResponse) throws {
        let answer = HTTPResponse(data, response)
        members = try answer.object()
        switch members["active"] {
        case .bool(let isActive): self.isActive = isActive
        case nil: throw answer.unusable(.missingMember("active"))
        default: throw answer.unusable(.invalidMember("active"))
        }
    }

    /// The scopes of the token.
    public var scopes: [String]? { members["scope"]?.stringValue?.split(separator: " ").map(String.init) }
    /// Whom it is about.
    public var subject: String? { members["sub"]?.stringValue }
    /// The client it was issued to.
    public var clientID: String? { members["client_id"]?.stringValue }
    /// When it stops being valid, by the server's clock.
    public var expiresAt: Date? { members["exp"]?.numberValue.flatMap(Date.init(outsideSecondsSince1970:)) }
}

extension IntrospectionResponse: CustomReflectable {
    /// Shows the names of the members alone.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "isActive": isActive,
                "members": members.namesAlone,
            ])
    }
}
