import Foundation
import IdentityKit

/// The way in which a client gets an identifier at a server that does not know it: by the address of a document that
/// describes it, if the server accepts that, or by registering itself (RFC 7591).
public struct ClientRegistration: Sendable, Hashable {
    /// The name that people see.
    public var name: String?
    /// The address of a document with the client's metadata, which is the client's identifier at servers that accept
    /// one (OAuth Client ID Metadata Document). It must list the app's redirect URIs.
    public var metadataDocument: URL?
    /// A token for servers that do not let everybody register.
    public var initialAccessToken: Secret?
    /// Additional members of registration requests, for the server's own needs.
    public var additionalMembers: [String: JSONValue] = [:]

    public init(name: String? = nil, metadataDocument: URL? = nil, initialAccessToken: Secret? = nil) {
        self.name = name
        self.metadataDocument = metadataDocument
        self.initialAccessToken = initialAccessToken
    }
}

extension ClientRegistration: Decodable {
    /// Reads the properties by their names, all of them optional.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        name = try settings.readIfPresent(
            "name", means: "The client's name, as the server shows it to people.", example: "Example")
        metadataDocument = try settings.readIfPresent(
            "metadataDocument", means: "The address of a document about the client, which is then its identifier.",
            example: "https://app.example.com/client.json")
        initialAccessToken = try settings.readIfPresent(
            "initialAccessToken", means: "The token that the server wants for a registration.",
            example: "${REGISTRATION_TOKEN}")
        let members: JSONValue = try settings.read(
            "additionalMembers", means: "What the server wants in a registration beyond the protocol.",
            example: ["contacts": ["admin@example.com"]], default: [:])
        additionalMembers = members.objectValue ?? [:]
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
