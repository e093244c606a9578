import Foundation
import IdentityKit
import IdentityTerminal

/// Ends the browser's session once a session is over here, or says that it remains. Nothing else depends on it.
final class SignOutBrowser: WebAuthenticator {
    /// The browser; `nil` where its session is left.
    private let browser: LoopbackWebAuthenticator?
    private let terminal: Terminal
    /// The page that was asked for last. Pages are shown one after the other: a person looks at one, and two may have the same
    /// port.
    private let last = Locked<Task<URL, any Error>?>(nil)

    /// - Parameter isLeft: whether the person wants the browser's session to remain.
    /// - Returns: `nil` where nobody is at a terminal who could look at a page.
    init?(isLeft: Bool, _ seconds: Int, in call: ToolCall) {
        let terminal = call.terminal
        self.terminal = terminal
        guard !isLeft else {
            browser = nil
            return
        }
        guard call.keyboard().isInteractive, terminal.showsProgress else { return nil }
        browser = LoopbackWebAuthenticator(
            opensBrowser: true, timeout: .seconds(seconds), time: call.context.clock, variables: call.variables
        ) { event in
            guard case .page(let page, let attempts) = event else { return }
            let isOpen = attempts.started != nil
            let text = isOpen ? "Your browser opens. If it does not, open this page" : "Open this page"
            terminal.note("\(text) to end the browser's session too:\n  \(page.absoluteString)")
        }
    }

    /// A free port is taken now, because the server is told which. A port that is set is opened with its page, because another
    /// page may have it until then.
    func redirectURI(for registered: URL) async throws -> URL {
        guard let browser, registered.port == nil else { return registered }
        // The page fails in the same way, and says so.
        return (try? await browser.redirectURI(for: registered)) ?? registered
    }

    func authenticate(at url: URL, redirectURI: URL) async throws -> URL {
        try await authenticate(WebAuthenticationRequest(url: url, redirectURI: redirectURI))
    }

    func authenticate(_ request: WebAuthenticationRequest) async throws -> URL {
        let session = "The browser's session at \(request.url.host ?? "the server")"
        guard let browser else {
            terminal.note("\(session) remains.")
            throw CancellationError()
        }
        let visit = last.withLock { last in
            let visit = Task { [former = last] in
                _ = await former?.result
                try Task.checkCancellation()
                return try await browser.authenticate(request)
            }
            last = visit
            return visit
        }
        do {
            let callback = try await withTaskCancellationHandler {
                try await visit.value
            } onCancel: {
                visit.cancel()
            }
            terminal.note("\(session) has ended too.")
            return callback
        } catch {
            terminal.note("identity: \(session) \(Self.rest(after: error))")
            throw error
        }
    }

    private static func rest(after error: any Error) -> String {
        switch error {
        case LoopbackBrowserError.timedOut(let seconds, _):
            "may remain: the browser has not returned within \(seconds) second\(seconds == 1 ? "" : "s")."
        case LoopbackBrowserError.unreachableRedirect:
            "remains, because postLogoutRedirectURI does not lead to this machine."
        case let error as LoopbackBrowserError: "remains. \(error.message)"
        default: "may remain."
        }
    }
}
