import Foundation
import IdentityKit

/// Passes requests on, and records what a provider sends and receives, and therefore has to keep secret. Use it both
/// for the environment of the provider and for ``ProviderUnderTest/wire``.
///
/// Hosts below `.invalid` do not exist (RFC 2606 section 2), and no request to one is passed on.
public final class WatchedTransport: HTTPTransport {
    private struct State: Sendable {
        var messages: [WatchedMessage] = []
        var isGarbled = false
    }

    private let base: any HTTPTransport
    private let state = Locked(State())

    /// Wraps a transport.
    /// - Parameter base: sends the requests.
    public init(_ base: any HTTPTransport = DefaultTransport.make()) { self.base = base }

    /// Passes the request on, and records the messages.
    /// - Throws: the error of the wrapped transport.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await data(for: request, upTo: 0)
    }

    /// Passes the request on, and records the messages.
    /// - Throws: the error of the wrapped transport.
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

    /// The requests and responses so far.
    var messages: [WatchedMessage] { state.withLock { $0.messages } }

    /// Runs `work` with every request answered by an unrelated page, as in a network with a sign-in of its own.
    func garbling<Result>(_ work: () async throws -> Result) async rethrows -> Result {
        state.withLock { $0.isGarbled = true }
        defer { state.withLock { $0.isGarbled = false } }
        return try await work()
    }
}

extension HTTPURLResponse {
    /// The head of a successful response to `request`.
    fileprivate convenience init?(to request: URLRequest) {
        guard let url = request.url else { return nil }
        self.init(url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "text/html"])
    }
}
