import Foundation
import IdentityKit
import LocalServers

/// Waits on this machine's loopback addresses for the browser to come back from a sign-in page (RFC 8252 section 7.3).
///
/// Every page and every program of the machine can send requests here. Only the response to the page that was opened
/// ends the wait; the others are counted and told that they belong to no sign-in.
final class LoopbackListener: Sendable {
    /// Where the browser comes back, with the port that is listened on.
    let redirectURI: URL

    private let servers: [LocalHTTPServer]
    private let wait: LoopbackWait

    private init(redirectURI: URL, servers: [LocalHTTPServer], wait: LoopbackWait) {
        self.redirectURI = redirectURI
        self.servers = servers
        self.wait = wait
    }

    /// Starts to listen: on both loopback addresses for `localhost`, because a browser may take either.
    /// - Parameters:
    ///   - redirectURI: without a port for any free one.
    ///   - time: what a slow client's time is measured with.
    /// - Throws: ``BrowserSignInError`` when the address is not this machine's, or the port it names cannot be had.
    static func start(for redirectURI: URL, time: TimeSource = .system) async throws -> LoopbackListener {
        guard redirectURI.scheme?.lowercased() == "http", let host = redirectURI.host, ServerURL.isLoopback(host),
            var components = URLComponents(url: redirectURI, resolvingAgainstBaseURL: true)
        else { throw BrowserSignInError.unreachableRedirect(redirectURI.absoluteString) }
        let wait = LoopbackWait(path: redirectURI.path.isEmpty ? "/" : redirectURI.path)
        let servers = try await LoopbackPorts(host: host, time: time) { wait.answer($0) }.open(redirectURI.port)
        components.port = servers.first?.url.port
        guard let address = components.url else {
            for server in servers { await server.stop() }
            throw BrowserSignInError.unreachableRedirect(redirectURI.absoluteString)
        }
        wait.listen(at: address)
        return LoopbackListener(redirectURI: address, servers: servers, wait: wait)
    }

    /// How many requests to the address were not the response.
    var strayCount: Int { wait.strayCount }

    /// Says which response counts from now on.
    func expect(_ request: WebAuthenticationRequest) { wait.expect(request) }

    /// Waits for what is expected.
    /// - Returns: the address the browser was sent to, spelled as the backend was told, with the fields of a posted form
    ///   in its query.
    /// - Throws: `CancellationError`.
    func response() async throws -> URL { try await wait.response() }

    /// Stops listening.
    func stop() async {
        for server in servers { await server.stop() }
    }
}
