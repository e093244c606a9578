import Foundation
import IdentityKit

/// Waits on this machine's loopback addresses for the browser to come back from a sign-in page (RFC 8252 section 7.3).
///
/// Every page and every program of the machine can send requests here. Only the response to the page that was opened
/// ends the wait; the others are counted and told that they belong to no sign-in.
///
/// For a program that opens the page itself. ``LoopbackWebAuthenticator`` opens it in the system's browser.
public final class LoopbackListener: Sendable {
    /// Where the browser comes back, with the port that is listened on.
    public let redirectURI: URL

    private let server: LoopbackServer
    private let wait: LoopbackWait

    private init(redirectURI: URL, server: LoopbackServer, wait: LoopbackWait) {
        self.redirectURI = redirectURI
        self.server = server
        self.wait = wait
    }

    deinit { server.stopSoon() }

    /// Starts to listen: on both loopback addresses for `localhost`, because a browser may take either.
    /// - Parameters:
    ///   - redirectURI: an `http` address on loopback, without a port for any free one.
    ///   - time: what the time of a slow client is measured with.
    /// - Throws: ``LoopbackBrowserError`` when the address is not this machine's, or its port is not available.
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
            let server = try LoopbackServer(sockets.map(\.descriptor), time: time) { wait.answer($0) }
            return LoopbackListener(redirectURI: address, server: server, wait: wait)
        } catch {
            for socket in sockets { LoopbackSocket.close(socket.descriptor) }
            throw error
        }
    }

    /// How many requests to the redirect URI were not the response.
    public var strayCount: Int { wait.strayCount }

    /// Says which response counts from now on. A response that comes before ``response()`` is called is kept for it.
    public func expect(_ request: WebAuthenticationRequest) { wait.expect(request) }

    /// Waits for what is expected.
    /// - Returns: the address the browser was sent to, spelled as the backend was told, with the fields of a posted form
    ///   in its query. It is not trusted: the caller checks every part.
    /// - Throws: `CancellationError`.
    public func response() async throws -> URL { try await wait.response() }

    /// Stops listening, and closes every connection.
    public func stop() async { await server.stop() }
}
