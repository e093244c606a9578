import Foundation
import IdentityKit
import IdentityTerminal

/// After a local sign-out, ends the browser's session at the server, or prints that this session remains. A failure does
/// not affect the sign-out, which is already complete in the store.
final class SignOutBrowser: WebAuthenticator {
    /// The browser that opens the pages; `nil` to leave the browser's session as it is.
    private let browser: LoopbackWebAuthenticator?
    private let terminal: Terminal
    /// The task that shows the latest page. Each page waits for the one before, because a person looks at one page at a time,
    /// and two pages may need the same port.
    private let last = Locked<Task<URL, any Error>?>(nil)

    /// - Parameters:
    ///   - isLeft: whether to leave the browser's session as it is.
    ///   - seconds: the time to wait for the browser after a page is shown.
    ///   - call: the call of the tool, with its terminal and variables.
    /// - Returns: `nil` if a page would have to be shown, but standard input or standard error is not a terminal.
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

    /// Returns `registered`, with a free port if `registered` has none. Listening on the free port starts in this call, because
    /// the request to the server contains the port. Listening on a configured port starts when the page is shown, because
    /// an earlier page may use the same port.
    func redirectURI(for registered: URL) async throws -> URL {
        guard let browser, registered.port == nil else { return registered }
        // Ignore the error: opening the page fails for the same reason and reports it.
        return (try? await browser.redirectURI(for: registered)) ?? registered
    }

    func authenticate(_ request: WebAuthenticationRequest) async throws -> URL {
        let server = request.url.host ?? "the server"
        let session = "The browser's session at \(server)"
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
            // The return does not prove that the session has ended: the person may have chosen to stay signed in.
            terminal.note("The browser has come back from the sign-out at \(server).")
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
