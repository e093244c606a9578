import Foundation
import IdentityKit

/// The response of the introspection endpoint about a token (RFC 7662 section 2.2).
package struct IntrospectionResponse: Sendable, Hashable {
    /// Whether the token can be used now. If not, the other members may all be absent.
    package let isActive: Bool
    /// Every member of the response.
    package let members: [String: JSONValue]

    /// Reads a response.
    /// - Throws: ``OAuthError/refused(_:)``, or ``OAuthError/invalidResponse(_:host:)``, also without a Boolean `active`.
    package init(_ data: Data, _ response: HTTPURLResponse) throws {
        try self.init(HTTPResponse(data, response))
    }

    init(_ response: HTTPResponse) throws {
        members = try response.object()
        switch members["active"] {
        case .bool(let isActive): self.isActive = isActive
        case nil: throw response.unusable(.missingMember("active"))
        default: throw response.unusable(.invalidMember("active"))
        }
    }

    /// The scopes of the token; `nil` if the member `scope` is absent or not a text.
    package var scopes: [String]? { members["scope"]?.stringValue?.split(separator: " ").map(String.init) }
    /// The `sub` of the token, usually the person who granted it; `nil` if the response has none.
    package var subject: String? { members["sub"]?.stringValue }
    /// The identifier of the client that the token was issued to; `nil` if the response has none.
    package var clientID: String? { members["client_id"]?.stringValue }
    /// The audiences of the token, from a list or a single text; `nil` if the response has no usable `aud`.
    package var audience: [String]? {
        members["aud"]?.arrayValue.map { $0.compactMap(\.stringValue) } ?? members["aud"]?.stringValue.map { [$0] }
    }
    /// The time at which the token expires, by the server's clock; `nil` if the response has no usable `exp`.
    package var expiresAt: Date? { members["exp"]?.numberValue.flatMap(Date.init(outsideSecondsSince1970:)) }
}

extension IntrospectionResponse: Reticent {
    /// Shows whether the token is active, and the names of the members without their values.
    package var shown: KeyValuePairs<String, Any> { ["isActive": isActive, "members": members.namesAlone] }
}
