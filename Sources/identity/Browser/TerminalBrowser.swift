#if Tools
import Foundation
import IdentityKit

/// Signs in with the system's browser and comes back to this machine's loopback address (RFC 8252 section 7.3).
///
/// The address is printed as well, because the browser may be on another machine or none may open.
struct TerminalBrowser: WebAuthenticator {
    let terminal: Terminal
    let listener: LoopbackListener
    let opensBrowser: Bool
    /// The longest wait, in seconds.
    let patience: Int

    func authenticate(at url: URL, redirectURI: URL) async throws -> URL {
        guard redirectURI.scheme == "http", ServerURL.isLoopback(redirectURI.host ?? "") else {
            throw BrowserSignInError.unreachableRedirect(redirectURI.absoluteString)
        }
        let port = redirectURI.port ?? 80
        guard port != listener.port else { return try await authenticate(at: url, redirectURI, on: listener) }
        // The backend knows one port only, and that is the one to wait on.
        let registered = try await LoopbackListener.start(port: port)
        let result = await Result { try await authenticate(at: url, redirectURI, on: registered) }
        await registered.stop()
        return try result.get()
    }

    private func authenticate(at url: URL, _ redirectURI: URL, on listener: LoopbackListener) async throws -> URL {
        let patience = patience
        return try await withThrowingTaskGroup(of: URL.self) { group in
            group.addTask { try await listener.callback(to: redirectURI) }
            group.addTask {
                try await Task.sleep(for: .seconds(patience))
                throw BrowserSignInError.timedOut(seconds: patience)
            }
            defer { group.cancelAll() }
            let isOpen = opensBrowser && SystemBrowser.open(url)
            terminal.note(isOpen ? "Your browser opens. If it does not, open this page:" : "Open this page to sign in:")
            terminal.note("  \(url.absoluteString)")
            guard let callback = try await group.next() else { throw CancellationError() }
            return callback
        }
    }
}

extension Result where Failure == any Error {
    /// What an asynchronous call comes to.
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
#endif
