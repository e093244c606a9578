import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The default transport, which sends the requests to one path elsewhere while there is an outage.
final class Detour: HTTPTransport {
    private let path: String
    private let destination = Locked<URL?>(nil)
    private let base = DefaultTransport.make()

    init(of path: String) { self.path = path }

    /// Sends them to scheme, host and port of an address from now on, or with `nil` to their own.
    func lead(to address: URL?) { destination.withLock { $0 = address } }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard let destination = destination.withLock({ $0 }), let url = request.url, url.path == path,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return try await base.data(for: request) }
        (parts.scheme, parts.host, parts.port) = (destination.scheme, destination.host, destination.port)
        var diverted = request
        diverted.url = parts.url
        return try await base.data(for: diverted)
    }
}
