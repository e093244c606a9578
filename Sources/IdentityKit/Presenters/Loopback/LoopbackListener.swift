import Foundation

/// Listens on this machine's loopback addresses for the callback of a sign-in page (RFC 8252 section 7.3), for a program that
/// opens the page itself. ``LoopbackWebAuthenticator`` opens it in the system's browser.
///
/// Every web page and every program of the machine can send requests here. Only the expected response ends the wait; other
/// requests are counted and refused.
public final class LoopbackListener: Sendable {
    /// The redirect URI with the port that is used.
    public let redirectURI: URL

    private let server: LoopbackServer
    private let wait: LoopbackWait

    private init(redirectURI: URL, server: LoopbackServer, wait: LoopbackWait) {
        self.redirectURI = redirectURI
        self.server = server
        self.wait = wait
    }

    deinit { server.stopSoon() }

    /// Starts to listen. For `localhost` it listens on both loopback addresses, because a browser may use either.
    /// - Parameters:
    ///   - redirectURI: an `http` address on loopback, without a port for any free one.
    ///   - time: the clock for the deadlines of connections.
    /// - Throws: `LoopbackBrowserError` when the address is not this machine's, or its port is not available.
    public static func start(for redirectURI: URL, time: TimeSource = .system) throws -> LoopbackListener {
        guard redirectURI.scheme?.lowercased() == "http", let host = redirectURI.host, ServerURL.isLoopback(host),
            var components = URLComponents(url: redirectURI, resolvingAgainstBaseURL: true)
        else { throw LoopbackBrowserError.unreachableRedirect(redirectURI.absoluteString) }
        let sockets = try LoopbackPorts(host: host).open(redirectURI.port)
        do {
            components.port = sockets.first?.port
            guard let address = components.url else {
                throw LoopbackBrowserError.unreachableRedirect(redirectURI.absoluteString)
            }
            let wait = LoopbackWait(redirectURI: address)
            let server = try LoopbackServer(sockets.map(\.descriptor), time: time) { wait.respond(to: $0) }
            return LoopbackListener(redirectURI: address, server: server, wait: wait)
        } catch {
            for socket in sockets { LoopbackSocket.close(socket.descriptor) }
            throw error
        }
    }

    /// The number of requests to the redirect URI that were not the expected response.
    public var strayCount: Int { wait.strayCount }

    /// Sets the expected response. A response that arrives before ``response()`` is called is kept.
    /// - Returns: the address to open: that of the request, or, for a sign-out with an ID token, a page of this
    ///   listener that posts the token to the server.
    @discardableResult
    public func expect(_ request: WebAuthenticationRequest) -> URL { expect(request) { _ in } }

    /// Sets the expected response as ``expect(_:)`` does, and calls `tell` once for each error code that an unverified
    /// sender reports.
    package func expect(
        _ request: WebAuthenticationRequest, whenUnconfirmed report: @escaping @Sendable (_ code: String) -> Void
    ) -> URL {
        wait.expect(request, report)
    }

    /// Waits for the expected response.
    /// - Returns: the callback, with the redirect URI as in the request and the fields of a posted form in its query.
    ///   Treat it as untrusted, and check every part.
    /// - Throws: `CancellationError`, also when the person stops waiting on the page about an error whose sender is
    ///   unknown.
    public func response() async throws -> URL { try await wait.response() }

    /// Accepts an address that a person has pasted, because the browser is on another machine. It is checked like a
    /// request.
    /// - Returns: whether it is the expected response, which is accepted once.
    package func take(pasted text: String) -> Bool {
        guard let end = LoopbackRequest(pasted: text).map(wait.respond)?.whenSent else { return false }
        end()
        return true
    }

    /// Stops listening, closes every connection, and ends a waiting ``response()`` with `CancellationError`.
    public func stop() async {
        wait.stop()
        await server.stop()
    }
}
