import Foundation
import IdentityKit

/// The search for the metadata of a protected resource (RFC 9728).
struct ResourceSearch: Sendable {
    let resource: URL
    let transport: any HTTPTransport
    let transportSecurity: TransportSecurity
    /// The addresses whose responses had no metadata so far.
    private(set) var places: [MetadataPlace] = []

    init(_ resource: URL, _ transport: any HTTPTransport, _ transportSecurity: TransportSecurity) {
        (self.resource, self.transport, self.transportSecurity) = (resource, transport, transportSecurity)
    }

    /// Whether every response in ``places`` had the status 404 or 410, so that the resource has no metadata there.
    var isUndescribed: Bool { places.allSatisfy { [404, 410].contains($0.status) } }

    /// Fetches the metadata from the address that the resource names, the resource's well-known address, or the well-known
    /// address of its origin. The first of these addresses that has metadata is used. The metadata of an origin may apply to
    /// every resource below it.
    /// - Parameter named: the address in the resource's challenge; `nil` if there is none.
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
        throw notDescribed()
    }

    /// Returns the error for a resource without metadata. The error lists the addresses in ``places``, and `place` if it is
    /// given.
    func notDescribed(at place: MetadataPlace? = nil) -> OAuthError {
        .invalidResource(
            .notDescribed(host: resource.host ?? "The resource", places: [place].compactMap { $0 } + places))
    }

    /// Checks that a document is about the resource or a parent of it. A parent's document is trusted only from the parent's
    /// own well-known address. Otherwise anybody who controls one path of a host could publish metadata for all others.
    private mutating func document(
        _ members: [String: JSONValue], from address: URL
    ) async throws -> ProtectedResourceMetadata {
        guard let parent = members["resource"]?.stringValue.flatMap(URL.init(string:)), resource.isInside(parent),
            URLParts(parent.absoluteString)?.query == nil, !isResource(parent),
            let own = try? ProtectedResourceMetadata.url(of: parent, transportSecurity: transportSecurity)
        else { return try ProtectedResourceMetadata(members: members, resource: resource) }
        if own == address { return try ProtectedResourceMetadata(members: members, resource: parent) }
        // The document is about the parent but from another address: use the parent's own document, or refuse this one.
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

    /// Returns the resource's address without path and query.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for an address without a host.
    func origin() throws -> URL {
        guard let origin = URLParts(resource.absoluteString)?.serialOrigin, let url = URL(string: origin) else {
            throw OAuthError.invalidSetting(.invalidParameter("resource"))
        }
        return url
    }
}
