import Foundation
import IdentityKit

/// The server's response about a token (RFC 7662 section 2.2).
package struct IntrospectionResponse: Sendable, Hashable {
    /// Whether the token can be used now. If not, the response has no other members.
    package let isActive: Bool
    /// Every member of the response.
    package let members: [String: JSONValue]

    /// Reads a response.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
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

    /// The scopes of the token.
    package var scopes: [String]? { members["scope"]?.stringValue?.split(separator: " ").map(String.init) }
    /// The subject of the token.
    package var subject: String? { members["sub"]?.stringValue }
    /// The client that the token was issued to.
    package var clientID: String? { members["client_id"]?.stringValue }
    /// The audiences of the token.
    package var audience: [String]? {
        members["aud"]?.arrayValue.map { $0.compactMap(\.stringValue) } ?? members["aud"]?.stringValue.map { [$0] }
    }
    /// The time at which the token stops being valid, by the server's clock.
    package var expiresAt: Date? { members["exp"]?.numberValue.flatMap(Date.init(outsideSecondsSince1970:)) }
}

extension IntrospectionResponse: CustomReflectable {
    /// Shows the names of the members alone.
    package var customMirror: Mirror { Mirror(self, showing: ["isActive": isActive, "members": members.namesAlone]) }
}
