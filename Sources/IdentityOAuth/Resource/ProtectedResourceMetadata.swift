import Foundation
import IdentityKit

/// The metadata of a protected resource, which lists the authorization servers that may issue tokens for it (RFC 9728
/// section 2).
///
/// The document is kept as it was received, including unknown members.
package struct ProtectedResourceMetadata: Sendable, Hashable {
    /// All members of the document by name, including unknown ones.
    package let members: [String: JSONValue]
    /// The resource identifier as the document spells it. It may name a parent of the configured resource, or differ
    /// from it by the slash of an empty path.
    package let resource: String
    /// The issuer identifiers of the authorization servers, in the document's order; at least one.
    package let authorizationServers: [String]

    /// The scopes that requests to the resource may need; `nil` if the document has no list.
    package var scopesSupported: [String]? { members["scopes_supported"]?.arrayValue?.compactMap(\.stringValue) }
    /// The resource's name for people; `nil` if the document has none.
    package var name: String? { members["resource_name"]?.stringValue }
    /// Whether the resource accepts only tokens that are bound to a key (RFC 9449); `false` if the document has no such
    /// member.
    package var requiresBoundTokens: Bool { members["dpop_bound_access_tokens_required"]?.boolValue ?? false }
    /// Whether the document lists `ES256`, the algorithm with which this library signs the proofs of bound tokens (RFC 9449).
    var takesBoundTokens: Bool {
        members["dpop_signing_alg_values_supported"]?.arrayValue?.contains("ES256") ?? false
    }
    /// Whether the resource accepts tokens in the `Authorization` header, as this library sends them; `true` if the document
    /// has no list of methods, and `false` if the list is empty (RFC 9728 section 2).
    var takesTokensInHeader: Bool {
        let methods = members["bearer_methods_supported"]?.arrayValue?.compactMap(\.stringValue)
        return methods?.contains("header") ?? true
    }

    /// Reads a document.
    /// - Parameters:
    ///   - members: the document's members.
    ///   - resource: the resource that the document must describe.
    /// - Throws: ``OAuthError/invalidResource(_:)`` when the document describes another resource (RFC 9728 section 3.3),
    ///   lacks `resource`, names no authorization server, or excludes tokens in the `Authorization` header.
    package init(members: [String: JSONValue], resource: URL) throws {
        guard let received = members["resource"]?.stringValue else {
            throw OAuthError.invalidResource(.missingMember("resource"))
        }
        guard Self.identifier(received).hasBytes(of: Self.identifier(resource.absoluteString)) else {
            throw OAuthError.invalidResource(.otherResource(expected: resource.absoluteString, received: received))
        }
        let servers = members["authorization_servers"]?.arrayValue?.compactMap(\.stringValue) ?? []
        guard !servers.isEmpty else { throw OAuthError.invalidResource(.missingMember("authorization_servers")) }
        self.members = members
        self.resource = received
        authorizationServers = servers
        guard takesTokensInHeader else { throw OAuthError.invalidResource(.noUsableMethod) }
    }

    /// Returns the address in a form for comparison: without the slash if the path is only a slash and nothing follows it
    /// (RFC 3986 section 6.2.3). Nothing else is normalized.
    static func identifier(_ text: String) -> String {
        guard let parts = URLParts(text), parts.path == "/", parts.query == nil, parts.fragment == nil else {
            return text
        }
        return String(text.dropLast())
    }
}

extension ProtectedResourceMetadata {
    /// Returns the default address of a resource's metadata, with the well-known path between the host and the path of the
    /// resource (RFC 9728 section 3.1).
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when `transportSecurity` does not allow the resource's address, or it has
    ///   a fragment, a user name or an ambiguous path.
    package static func url(
        of resource: URL, transportSecurity: TransportSecurity = .httpsOnly
    ) throws -> URL {
        let parts = URLParts(resource.absoluteString)
        guard let parts, let authority = parts.authority, parts.fragment == nil, !parts.hasUserInfo,
            parts.hasPlainPath, transportSecurity.allows(resource)
        else { throw OAuthError.invalidSetting(.invalidParameter("resource")) }
        let path = parts.path == "/" ? "" : parts.path
        let query = parts.query.map { "?" + $0 } ?? ""
        let address = "\(parts.scheme)://\(authority)/.well-known/oauth-protected-resource\(path)\(query)"
        guard let url = URL(string: address) else { throw OAuthError.invalidSetting(.invalidParameter("resource")) }
        return url
    }

    /// Fetches a resource's metadata. Requests without a token are sent first (see `ResourceProbe`), because a refusal may
    /// contain the address of the metadata (RFC 9728 section 5.1). If no refusal contains an address, or there is no metadata
    /// at that address, the well-known addresses of the resource and of its origin are tried. Metadata of a parent of the
    /// resource is accepted only from the parent's own well-known address.
    /// - Parameters:
    ///   - resource: the resource identifier.
    ///   - transport: sends the requests.
    ///   - transportSecurity: decides which addresses are acceptable.
    /// - Returns: the metadata, and the scopes in the resource's challenge. The scopes are `nil` without a challenge, and for a
    ///   challenge without scopes.
    /// - Throws: ``OAuthError``, `CancellationError`, or what the transport throws.
    package static func discover(
        _ resource: URL, using transport: any HTTPTransport, transportSecurity: TransportSecurity = .httpsOnly
    ) async throws -> (metadata: ProtectedResourceMetadata, challengedScopes: [String]?) {
        _ = try url(of: resource, transportSecurity: transportSecurity)
        let refusal = try await ResourceProbe(resource: resource, transport: transport).outcome(on: .system).refusal
        var search = ResourceSearch(resource, transport, transportSecurity)
        return (try await search.document(named: refusal?.challenge?.metadata), refusal?.challenge?.scopes)
    }
}

extension ProtectedResourceMetadata: Reticent {
    /// Shows the resource, the authorization servers, and the names of the members without their values.
    package var shown: KeyValuePairs<String, Any> {
        [
            "resource": resource.addressAlone, "authorizationServers": authorizationServers.map(\.addressAlone),
            "members": members.namesAlone,
        ]
    }
}
