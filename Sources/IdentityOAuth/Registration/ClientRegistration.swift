import Foundation
import IdentityKit

/// How a client gets an identifier at a server that has not heard of it: by the address of a document that describes it,
/// where the server takes that, or by registering itself (RFC 7591).
public struct ClientRegistration: Sendable, Hashable {
    /// The name that people see.
    public var name: String?
    /// The address of a document with the client's metadata, which is its identifier at servers that take one (OAuth Client
    /// ID Metadata Document). Its redirect URIs are those of the app.
    public var metadataDocument: URL?
    /// What a server wants that lets only some register.
    public var initialAccessToken: Secret?
    /// Anything else a server wants in a registration.
    public var additionalMembers: [String: JSONValue] = [:]

    /// A registration.
    public init(name: String? = nil, metadataDocument: URL? = nil, initialAccessToken: Secret? = nil) {
        self.name = name
        self.metadataDocument = metadataDocument
        self.initialAccessToken = initialAccessToken
    }
}

extension ClientRegistration: Decodable {
    private enum CodingKeys: String, CodingKey {
        case name, metadataDocument, initialAccessToken, additionalMembers
    }

    /// Reads the properties by their names, all of them optional.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        metadataDocument = try container.decodeIfPresent(URL.self, forKey: .metadataDocument)
        initialAccessToken = try container.decodeIfPresent(Secret.self, forKey: .initialAccessToken)
        additionalMembers =
            try container.decodeIfPresent(JSONValue.self, forKey: .additionalMembers)?.objectValue ?? [:]
    }
}

extension ClientRegistration: CustomReflectable {
    /// Shows neither the token nor the additional members.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "name": name as Any, "metadataDocument": metadataDocument?.addressAlone as Any,
                "additionalMembers": additionalMembers.namesAlone,
            ])
    }
}
