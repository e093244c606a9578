import Foundation
import IdentityKit

/// A transport that passes requests on to another transport, and records the bodies of requests and responses. These
/// bodies contain secrets that the provider must not show. Use the same transport for the environment of the provider
/// and for ``ProviderUnderTest/wire``.
///
/// Hosts below `.invalid` do not exist (RFC 2606 section 2). A request to such a host is recorded, but not passed on.
public final class WatchedTransport: HTTPTransport {
    private struct State: Sendable {
        var messages: [WatchedMessage] = []
        var isGarbled = false
    }

    private let base: any HTTPTransport
    private let state = Locked(State())

    /// Makes a transport that passes requests on to `base`.
    /// - Parameter base: the transport that sends the requests; by default that of the platform.
    public init(_ base: any HTTPTransport = DefaultTransport.make()) { self.base = base }

    /// Passes the request on, and records the bodies of the request and the response.
    /// - Throws: the error of the wrapped transport, or `TransportError.hostUnreachable` for a host below `.invalid`.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await data(for: request, upTo: 0)
    }

    /// Passes the request on, and records the bodies of the request and the response.
    /// - Parameters:
    ///   - request: the request to pass on.
    ///   - limit: the largest accepted body of the response, in bytes. The wrapped transport may keep a larger limit of its
    ///     own.
    /// - Throws: the error of the wrapped transport, or `TransportError.hostUnreachable` for a host below `.invalid`.
    public func data(for request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse) {
        let isGarbled = state.withLock { state in
            state.messages.append(WatchedMessage(sentTo: request.url, request.httpBody ?? Data()))
            return state.isGarbled
        }
        let host = request.url?.host ?? ""
        if host.hasSuffix(".invalid") { throw TransportError.hostUnreachable(host: host) }
        if isGarbled, let page = HTTPURLResponse(to: request) { return (Data("<html>Sign in to the hotel".utf8), page) }
        let response = try await base.data(for: request, upTo: limit)
        state.withLock { $0.messages.append(WatchedMessage(received: response.0)) }
        return response
    }

    /// The recorded requests and responses, in their order.
    var messages: [WatchedMessage] { state.withLock { $0.messages } }

    /// Runs `work`, and meanwhile answers every request with an unrelated HTML page instead of passing it on, as the captive
    /// portal of a hotel's network does.
    func garbling<Result>(_ work: () async throws -> Result) async rethrows -> Result {
        state.withLock { $0.isGarbled = true }
        defer { state.withLock { $0.isGarbled = false } }
        return try await work()
    }
}

extension HTTPURLResponse {
    /// Makes the head of a response with status 200 and an HTML body; `nil` for a request without a URL.
    fileprivate convenience init?(to request: URLRequest) {
        guard let url = request.url else { return nil }
        self.init(url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "text/html"])
    }
}
