import Foundation
import IdentityKit

/// The search for the document that describes a resource (RFC 9728).
struct ResourceSearch: Sendable {
    let resource: URL
    let transport: any HTTPTransport
    let transportSecurity: TransportSecurity
    /// The places that had no document.
    private(set) var places: [MetadataPlace] = []

    init(_ resource: URL, _ transport: any HTTPTransport, _ transportSecurity: TransportSecurity) {
        (self.resource, self.transport, self.transportSecurity) = (resource, transport, transportSecurity)
    }

    /// Whether every place has answered that it has no document.
    var isUndescribed: Bool { places.allSatisfy { [404, 410].contains($0.status) } }

    /// The document: from the address the resource names, from its own well-known address, or from that of its root,
    /// which may describe everything below it.
    /// - Parameter named: the address that the resource names.
    /// - Throws: ``OAuthError``, or what the transport throws.
    mutating func document(named: URL?) async throws -> ProtectedResourceMetadata {
        let own = try ProtectedResourceMetadata.url(of: resource, transportSecurity: transportSecurity)
        if let named, !transportSecurity.allows(named) { throw OAuthError.invalidResource(.insecureMetadata) }
        let root = try ProtectedResourceMetadata.url(of: origin(), transportSecurity: transportSecurity)
        let addresses = [named, own, root].compactMap { $0 }
        for (index, address) in addresses.enumerated() where !addresses[..<index].contains(address) {
            guard let members = try await members(at: address) else { continue }
            return try await document(members, from: address)
        }
        throw OAuthError.invalidResource(.notDescribed(host: resource.host ?? "The resource", places: places))
    }

    /// The document about the resource, or about a parent of it. A parent's document is trusted only from the parent's
    /// own well-known address; otherwise anybody who may write below a host could speak for all of it.
    private mutating func document(
        _ members: [String: JSONValue], from address: URL
    ) async throws -> ProtectedResourceMetadata {
        guard let parent = members["resource"]?.stringValue.flatMap(URL.init(string:)), resource.isInside(parent),
            URLParts(parent.absoluteString)?.query == nil, !isResource(parent),
            let own = try? ProtectedResourceMetadata.url(of: parent, transportSecurity: transportSecurity)
        else { return try ProtectedResourceMetadata(members: members, resource: resource) }
        if own == address { return try ProtectedResourceMetadata(members: members, resource: parent) }
        // A named document about the parent is refused unless the parent publishes it too.
        guard let itsOwn = try await self.members(at: own),
            let described = try? ProtectedResourceMetadata(members: itsOwn, resource: parent)
        else { return try ProtectedResourceMetadata(members: members, resource: resource) }
        return described
    }

    private func isResource(_ url: URL) -> Bool {
        ProtectedResourceMetadata.identifier(url.absoluteString)
            .hasBytes(of: ProtectedResourceMetadata.identifier(resource.absoluteString))
    }

    private mutating func members(at address: URL) async throws -> [String: JSONValue]? {
        try await MetadataPlace.read(.json(from: address), using: transport, noting: &places) {
            let received = HTTPResponse($0, $1)
            let members = try received.object()
            _ = try received.requiredString("resource", in: members)
            return members
        }
    }

    /// Scheme, host and port of the resource.
    func origin() throws -> URL {
        guard let origin = URLParts(resource.absoluteString)?.serialOrigin, let url = URL(string: origin) else {
            throw OAuthError.invalidSetting(.invalidParameter("resource"))
        }
        return url
    }
}
