import Foundation
import IdentityKit

/// A resource's description of itself, which names above all the servers that may issue tokens for it (RFC 9728 section 2).
///
/// The document is kept as it was received, with unknown members.
package struct ProtectedResourceMetadata: Sendable, Hashable {
    /// Every member of the document.
    package let members: [String: JSONValue]
    /// The resource identifier, as the document has it.
    package let resource: String
    /// The issuer identifiers of the authorization servers, at least one.
    package let authorizationServers: [String]

    /// The scopes that requests may need, as far as the resource lists them.
    package var scopesSupported: [String]? { members["scopes_supported"]?.arrayValue?.compactMap(\.stringValue) }
    /// The name that people see.
    package var name: String? { members["resource_name"]?.stringValue }
    /// Whether tokens must be bound to a key (RFC 9449).
    package var requiresBoundTokens: Bool { members["dpop_bound_access_tokens_required"]?.boolValue ?? false }
    /// Whether tokens can be bound to a key of the algorithm that this library signs with.
    var takesBoundTokens: Bool {
        members["dpop_signing_alg_values_supported"]?.arrayValue?.contains("ES256") ?? false
    }
    /// Whether tokens may be in the `Authorization` header, the only place where this library puts them.
    var takesTokensInHeader: Bool {
        let methods = members["bearer_methods_supported"]?.arrayValue?.compactMap(\.stringValue)
        return methods?.contains("header") ?? true
    }

    /// Reads a document.
    /// - Parameters:
    ///   - members: the document's members.
    ///   - resource: the resource that was asked about.
    /// - Throws: ``OAuthError/invalidResource(_:)`` when it must not be used, above all because it is about another
    ///   resource (RFC 9728 section 3.3).
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

    /// The address in a form for comparison: without a path, a slash at the end makes no difference (RFC 3986 section
    /// 6.2.3). Nothing else is normalized.
    static func identifier(_ text: String) -> String {
        guard let parts = URLParts(text), parts.path == "/", parts.query == nil, parts.fragment == nil else {
            return text
        }
        return String(text.dropLast())
    }
}

extension ProtectedResourceMetadata {
    /// The default address of a resource's metadata, with the well-known part between host and path (RFC 9728 section 3.1).
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for an address that is not an acceptable resource identifier.
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

    /// Fetches a resource's metadata from the address that its refusal of a request without a token names (RFC 9728
    /// section 5.1), or else from the well-known places. A parent of the resource may describe it, at the parent's own
    /// well-known address.
    /// - Parameters:
    ///   - resource: the resource.
    ///   - transport: sends the requests.
    ///   - transportSecurity: which addresses are acceptable.
    /// - Returns: the metadata, and the scopes that the refusal asks for.
    /// - Throws: ``OAuthError``, or what the transport throws.
    package static func discover(
        _ resource: URL, using transport: any HTTPTransport, transportSecurity: TransportSecurity = .httpsOnly
    ) async throws -> (metadata: ProtectedResourceMetadata, challengedScopes: [String]?) {
        _ = try url(of: resource, transportSecurity: transportSecurity)
        let refusal = try await ResourceProbe(resource: resource, transport: transport).refusal(on: .system)
        var search = ResourceSearch(resource, transport, transportSecurity)
        return (try await search.document(named: refusal?.challenge?.metadata), refusal?.challenge?.scopes)
    }
}

extension ProtectedResourceMetadata: CustomReflectable {
    /// Shows the names of the members alone.
    package var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "resource": resource.addressAlone, "authorizationServers": authorizationServers.map(\.addressAlone),
                "members": members.namesAlone,
            ])
    }
}
