import Foundation

/// Sends requests to configured servers as usual, and to other servers only if their address is not private. Without
/// this check, a server could make this program send requests to machines that only this program can reach.
struct PublicAddressTransport: PunctualTransport {
    private let base: any HTTPTransport
    /// Origins of the configured servers, such as `https://id.example.com:443`.
    private let known: Set<String>

    init(_ base: any HTTPTransport, besides addresses: [URL]) {
        let former = base as? PublicAddressTransport
        self.base = former?.base ?? base
        known = Set(addresses.compactMap(\.originText)).union(former?.known ?? [])
    }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await base(of: request).data(for: request)
    }

    func data(for request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse) {
        try await base(of: request).data(for: request, upTo: limit)
    }

    func data(
        for request: URLRequest, upTo limit: Int, before deadline: Deadline
    ) async throws -> (Data, HTTPURLResponse) {
        let late = TransportError.notSentInTime(host: request.url?.authority ?? "the server")
        let transport = try await deadline.run(orThrow: late) { try await base(of: request) }
        return try await DeadlineTransport(transport, before: deadline).data(for: request, upTo: limit)
    }

    func stream(for request: URLRequest) async throws -> HTTPStream {
        try await base(of: request).stream(for: request)
    }

    /// Returns the transport for `request`. Requests to configured servers are not checked. For other servers,
    /// `CurlTransport` checks the addresses when it connects. For any other transport, and where a proxy may be used,
    /// this function looks up the host first.
    /// - Throws: ``TransportError/privateAddress(host:)`` when the look-up finds a private address.
    private func base(of request: URLRequest) async throws -> any HTTPTransport {
        guard let url = request.url, let host = url.host, !known.contains(url.originText ?? "") else { return base }
        #if canImport(CIdentityCurl)
        if let curl = base as? CurlTransport, curl.connectsItself(to: url) { return curl.withoutPrivateAddresses }
        #endif
        // Check in advance, although the name may resolve differently when the connection is made, or when a proxy
        // resolves it. A name that does not resolve here passes.
        guard await !PrivateAddress.isFound(for: host) else {
            throw TransportError.privateAddress(host: url.authority)
        }
        return base
    }
}

extension IdentityEnvironment {
    /// The environment with a transport that refuses private addresses, if ``refusesPrivateAddresses`` is set.
    /// - Parameter known: the configured servers, which may have private addresses.
    package func guarded(besides known: [URL]) -> IdentityEnvironment {
        guard refusesPrivateAddresses else { return self }
        var environment = self
        environment.transport = PublicAddressTransport(transport, besides: known)
        return environment
    }
}

extension URL {
    /// Scheme, host and port, with the scheme's default port where the URL has none; `nil` without a scheme or a
    /// host.
    fileprivate var originText: String? {
        guard let scheme = scheme?.lowercased(), let host = host?.lowercased() else { return nil }
        return "\(scheme)://\(host):\(port ?? (scheme == "http" ? 80 : 443))"
    }
}
