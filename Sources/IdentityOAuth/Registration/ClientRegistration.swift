import Foundation
import IdentityKit

/// The settings by which a client gets an identifier at a server that does not know it. The identifier is the address of
/// ``metadataDocument`` if the server accepts that. Otherwise the client registers itself (RFC 7591).
public struct ClientRegistration: Sendable, Hashable {
    /// The client's name, which the server shows to people; `nil` for the name of the running app or process.
    public var name: String?
    /// The address of a document with the client's metadata, which must list the app's redirect URIs. At servers that accept
    /// such an address, it is the client's identifier (OAuth Client ID Metadata Document). `nil` to register at every server.
    public var metadataDocument: URL?
    /// The token that authorizes a registration (RFC 7591 section 3); `nil` for a server that lets everybody register.
    public var initialAccessToken: Secret?
    /// Additional members of registration requests, such as `contacts`. Members that the library itself sends, such as
    /// `redirect_uris`, are ignored.
    public var additionalMembers: [String: JSONValue] = [:]

    /// Creates a registration without additional members. By default, the client has no metadata document and registers
    /// itself under the name of the running app.
    public init(name: String? = nil, metadataDocument: URL? = nil, initialAccessToken: Secret? = nil) {
        self.name = name
        self.metadataDocument = metadataDocument
        self.initialAccessToken = initialAccessToken
    }
}

extension ClientRegistration: Decodable {
    /// Reads the settings that are named like the properties. Each of them is optional, and `additionalMembers` is ignored
    /// unless it is an object.
    /// - Throws: ``/IdentityKit/ConfigurationError``.
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

extension ClientRegistration: Reticent {
    /// Shows the name, the document's address without its query, and only the names of the additional members.
    package var shown: KeyValuePairs<String, Any> {
        [
            "name": name as Any, "metadataDocument": metadataDocument?.addressAlone as Any,
            "additionalMembers": additionalMembers.namesAlone,
        ]
    }
}
