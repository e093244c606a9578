#if Tools
import Foundation
import IdentityKit
import IdentityTestKit

/// Waits on 127.0.0.1 for the browser to come back from a sign-in page (RFC 8252 section 7.3).
final class LoopbackListener: Sendable {
    private let server: LocalHTTPServer
    private let state: Locked<State>

    private struct State: Sendable {
        /// What is waited for: the path, and whom to tell.
        var waiting: (path: String, continuation: CheckedContinuation<URL, any Error>)?
    }

    /// Starts to listen.
    /// - Parameter port: 0 for any free one.
    /// - Throws: ``BrowserSignInError/portTaken(_:)``.
    static func start(port: Int = 0) async throws -> LoopbackListener {
        let state = Locked(State())
        do {
            let server = try await LocalHTTPServer.start(port: port) { request in
                Self.answer(request, state)
            }
            return LoopbackListener(server, state)
        } catch {
            throw BrowserSignInError.portTaken(port)
        }
    }

    private init(_ server: LocalHTTPServer, _ state: Locked<State>) {
        self.server = server
        self.state = state
    }

    /// The port it listens on.
    var port: Int { server.url.port ?? 0 }

    /// The address the browser was sent to.
    /// - Parameter redirectURI: only its path is listened to.
    /// - Throws: `CancellationError`.
    func callback(to redirectURI: URL) async throws -> URL {
        let address = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.waiting = (redirectURI.listenedPath, continuation) }
                if Task.isCancelled { giveUp() }
            }
        } onCancel: {
            giveUp()
        }
        // What the browser was sent to, spelled as the backend was told.
        guard var components = URLComponents(url: redirectURI, resolvingAgainstBaseURL: true) else { return address }
        components.percentEncodedQuery = URLComponents(url: address, resolvingAgainstBaseURL: true)?.percentEncodedQuery
        return components.url ?? address
    }

    /// Stops listening.
    func stop() async { await server.stop() }

    private func giveUp() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.continuation.resume(throwing: CancellationError())
    }

    private static func answer(_ request: LocalRequest, _ state: Locked<State>) -> LocalResponse {
        // A page of another site that guesses the port, under a name of its own, is not the browser we wait for.
        guard request.method == "GET", let host = request.header("Host"), isThisMachine(host),
            let address = URL(string: "http://\(host)\(request.target)")
        else { return ClosingPage.nothingHere }
        let waiting = state.withLock { state in
            guard state.waiting?.path == address.listenedPath else { return nil as State? }
            defer { state.waiting = nil }
            return state
        }?.waiting
        guard let waiting else { return ClosingPage.nothingHere }
        var page = ClosingPage.done
        // Not before the page has left: whoever waits stops listening at once.
        page.whenSent = { waiting.continuation.resume(returning: address) }
        return page
    }

    private static func isThisMachine(_ authority: String) -> Bool {
        URLComponents(string: "http://\(authority)")?.host.map(ServerURL.isLoopback) == true
    }
}

extension URL {
    /// The path as a server sees it: never empty.
    fileprivate var listenedPath: String { path.isEmpty ? "/" : path }
}

/// Why a sign-in in the browser cannot begin or end here.
enum BrowserSignInError: IdentityFailure, Equatable {
    case portTaken(Int)
    case unreachableRedirect(String)
    case timedOut(seconds: Int)

    var failureCode: String {
        switch self {
        case .portTaken: "redirect_port_taken"
        case .unreachableRedirect: "redirect_not_loopback"
        case .timedOut: "browser_timed_out"
        }
    }

    var failureClass: FailureClass {
        if case .unreachableRedirect = self { .definitive } else { .transient }
    }

    var message: String {
        switch self {
        case .portTaken(let port):
            "Nothing can listen on port \(port) of this machine. End the program that does, or register another port."
        case .unreachableRedirect(let uri):
            "\(uri) does not come back to a terminal. Register http://127.0.0.1/callback as a redirect URI and set it."
        case .timedOut(let seconds):
            "Nobody signed in within \(seconds) seconds. Run the command again."
        }
    }
}
#endif
