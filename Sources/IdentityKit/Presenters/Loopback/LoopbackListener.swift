import Foundation

/// Listens on this machine's loopback addresses for the callback of a sign-in page (RFC 8252 section 7.3) that
/// ``LoopbackWebAuthenticator`` shows.
///
/// Every web page and every program on the machine can send requests to this listener. The wait ends with the expected
/// response, or when the person presses "Stop waiting" on a page of the listener. Other requests do not end the wait.
package final class LoopbackListener: Sendable {
    /// The redirect URI, with the port on which this object listens.
    package let redirectURI: URL

    private let server: LoopbackServer
    private let wait: LoopbackWait

    private init(redirectURI: URL, server: LoopbackServer, wait: LoopbackWait) {
        self.redirectURI = redirectURI
        self.server = server
        self.wait = wait
    }

    deinit { server.stopSoon() }

    /// Starts to listen. For `localhost`, the listener uses the IPv4 and the IPv6 address, because a browser may use either.
    /// - Parameters:
    ///   - redirectURI: an `http` address on loopback. Without a port in it, the listener uses any free port.
    ///   - time: the clock for the deadlines of connections.
    /// - Throws: `LoopbackBrowserError` when the address is not a loopback address of this machine, the port is taken,
    ///   or the system does not allow this program to listen there.
    package static func start(for redirectURI: URL, time: TimeSource = .system) throws -> LoopbackListener {
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
    package var strayCount: Int { wait.strayCount }

    /// Sets the expected response. A response that arrives before ``response()`` is called is kept.
    /// - Returns: the address to open: that of the request, or, for a sign-out with an ID token, a page of this
    ///   listener that posts the token to the server.
    @discardableResult
    package func expect(_ request: WebAuthenticationRequest) -> URL { expect(request) { _ in } }

    /// Sets the expected response as ``expect(_:)`` does. Calls `report` once for each error code that an unverified
    /// sender reports in the first 16 unexpected requests.
    package func expect(
        _ request: WebAuthenticationRequest, whenUnconfirmed report: @escaping @Sendable (_ code: String) -> Void
    ) -> URL {
        wait.expect(request, report)
    }

    /// Waits for the expected response.
    /// - Returns: the redirect URI of the ``WebAuthenticationRequest``, with the parameters of the response as its
    ///   query, also those of a posted form. Treat it as untrusted, and check every parameter.
    /// - Throws: `CancellationError` when the task is cancelled, when ``stop()`` is called, when another call of this function
    ///   replaces this one, or when the person presses "Stop waiting" on the page about an error whose sender is unknown.
    package func response() async throws -> URL { try await wait.response() }

    /// Accepts an address that a person has pasted, because the browser is on another machine. The address is checked like
    /// a request.
    /// - Returns: whether the address is the expected response, which is accepted only once.
    package func take(pasted text: String) -> Bool {
        guard let end = LoopbackRequest(pasted: text).map(wait.respond)?.whenSent else { return false }
        end()
        return true
    }

    /// Stops listening, closes every connection, and ends a waiting ``response()`` with `CancellationError`.
    package func stop() async {
        wait.stop()
        await server.stop()
    }
}
