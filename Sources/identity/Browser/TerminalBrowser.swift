import Foundation
import IdentityKit

/// Signs in with the system's browser and comes back to this machine's loopback address (RFC 8252 section 7.3).
///
/// The address is printed as well, because the browser may be on another machine or none may open.
final class TerminalBrowser: WebAuthenticator {
    private let terminal: Terminal
    private let opensBrowser: Bool
    private let patience: Int
    /// Those that wait for their page, by the address they listen at, without its query.
    private let listeners = Locked<[String: LoopbackListener]>([:])

    /// - Parameters:
    ///   - opensBrowser: whether a browser is opened; otherwise the address is only printed.
    ///   - patience: the longest wait, in seconds.
    init(terminal: Terminal, opensBrowser: Bool, patience: Int) {
        self.terminal = terminal
        self.opensBrowser = opensBrowser
        self.patience = patience
    }

    func redirectURI(for registered: URL) async throws -> URL {
        // A page that was never opened keeps its port. Whoever asks for it now is the next to open one.
        if let port = registered.port {
            for listener in take(where: { $0.redirectURI.port == port }) { await listener.stop() }
        }
        let listener = try await LoopbackListener.start(for: registered)
        listeners.withLock { $0[listener.redirectURI.withoutQuery] = listener }
        return listener.redirectURI
    }

    func authenticate(at url: URL, redirectURI: URL) async throws -> URL {
        try await authenticate(WebAuthenticationRequest(url: url, redirectURI: redirectURI))
    }

    func authenticate(_ request: WebAuthenticationRequest) async throws -> URL {
        let prepared = listeners.withLock { $0.removeValue(forKey: request.redirectURI.withoutQuery) }
        let listener: LoopbackListener
        if let prepared {
            listener = prepared
        } else {
            // The backend was told this address as it is.
            guard request.redirectURI.port != nil || request.redirectURI.scheme != "http" else {
                throw BrowserSignInError.unreachableRedirect(request.redirectURI.absoluteString)
            }
            listener = try await LoopbackListener.start(for: request.redirectURI)
        }
        let result = await Result { try await show(request, listener) }
        await listener.stop()
        return try result.get()
    }

    /// Stops listening for pages that were never opened.
    func close() async {
        for listener in take(where: { _ in true }) { await listener.stop() }
    }

    private func take(where isWanted: (LoopbackListener) -> Bool) -> [LoopbackListener] {
        listeners.withLock { listeners in
            let taken = listeners.filter { isWanted($0.value) }
            for key in taken.keys { listeners[key] = nil }
            return Array(taken.values)
        }
    }

    private func show(_ request: WebAuthenticationRequest, _ listener: LoopbackListener) async throws -> URL {
        let patience = patience
        listener.expect(request)
        return try await withThrowingTaskGroup(of: URL.self) { group in
            group.addTask { try await listener.response() }
            group.addTask {
                try await TimeSource.system.sleep(for: .seconds(patience))
                throw BrowserSignInError.timedOut(seconds: patience, strays: listener.strayCount)
            }
            defer { group.cancelAll() }
            let isOpen = opensBrowser && SystemBrowser.open(request.url)
            terminal.note(isOpen ? "Your browser opens. If it does not, open this page:" : "Open this page to sign in:")
            terminal.note("  \(request.url.absoluteString)")
            guard let callback = try await group.next() else { throw CancellationError() }
            return callback
        }
    }
}

extension URL {
    /// The address up to its query or fragment.
    fileprivate var withoutQuery: String { String(absoluteString.prefix { $0 != "?" && $0 != "#" }) }
}

extension Result where Failure == any Error {
    /// What an asynchronous call comes to.
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
