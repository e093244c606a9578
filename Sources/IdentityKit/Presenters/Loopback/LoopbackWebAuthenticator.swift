import Foundation

/// Signs in with the system's browser and a redirect URI on this machine's loopback address (RFC 8252 section 7.3), for
/// desktops, terminals and Linux.
///
/// ```swift
/// let browser = LoopbackWebAuthenticator { page, isOpen in
///     print(isOpen ? "Your browser opens. If it does not, open this page:" : "Open this page to sign in:")
///     print("  \(page.absoluteString)")
/// }
/// ```
///
/// Register a redirect URI without a port, such as `http://127.0.0.1/callback`. The port that ``redirectURI(for:)``
/// opens stays open until the sign-in on it has ended. Call ``close()`` when no sign-in follows.
public final class LoopbackWebAuthenticator: WebAuthenticator {
    /// Opens a page in the browser and shows its address. After a browser has failed, the next one is tried while `isNeeded`
    /// returns `true`. Calls `onNone` if no browser can be started, or when the last one has failed.
    private let show:
        @Sendable (URL, _ isNeeded: @escaping @Sendable () -> Bool, _ onNone: @escaping @Sendable () -> Void) throws ->
            Void
    private let report: @Sendable (LoopbackEvent) -> Void
    /// Reads a line that a person pastes; `nil` when nobody can paste.
    private let paste: (@Sendable () async throws -> String)?
    private let timeout: Duration
    private let time: TimeSource
    /// Listeners whose page has not been opened yet, by redirect URI without query and fragment.
    private let listeners = Locked<[String: LoopbackListener]>([:])

    /// Makes an authenticator that opens the system's browser.
    /// - Parameters:
    ///   - opensBrowser: whether to open the system's browser. If not, `present` shows the page's address, and the person
    ///     opens it.
    ///   - timeout: how long the callback of a page may take.
    ///   - time: the clock of the timeout.
    ///   - present: called with the address of each page, and whether a browser was started. Show the address to the person in
    ///     both cases: the person may want to use a browser on another machine. `nil` suits an app with its own windows: no
    ///     address is shown, and a sign-in ends with ``WebAuthenticationError/notStarted`` if no browser can be started.
    public convenience init(
        opensBrowser: Bool = true, timeout: Duration = .seconds(300), time: TimeSource = .system,
        present: (@Sendable (_ page: URL, _ isOpen: Bool) -> Void)? = nil
    ) {
        self.init(
            opensBrowser: opensBrowser, needsBrowser: present == nil, timeout: timeout, time: time, variables: nil
        ) { event in
            if case .page(let page, let attempts) = event { present?(page, attempts.started != nil) }
        }
    }

    /// Makes an authenticator that reports every `LoopbackEvent`, and can read a pasted address.
    /// - Parameters:
    ///   - opensBrowser: whether to open the system's browser.
    ///   - needsBrowser: whether a sign-in ends when no browser was started.
    ///   - timeout: how long the callback of a page may take.
    ///   - time: the clock of the timeout.
    ///   - variables: the environment variables that determine the browser; `nil` for those of the process.
    ///   - paste: reads the address of the response from a person, for a browser on another machine. Called only when no
    ///     browser was started here, or every browser has ended with an error.
    ///   - report: called with every notification for the person.
    package init(
        opensBrowser: Bool, needsBrowser: Bool = false, timeout: Duration, time: TimeSource,
        variables: [String: String]?, paste: (@Sendable () async throws -> String)? = nil,
        report: @escaping @Sendable (LoopbackEvent) -> Void
    ) {
        show = { page, isNeeded, onNone in
            let browser = opensBrowser ? SystemBrowser(variables: variables) : nil
            let attempts = browser?.open(page, while: isNeeded) { attempts in
                report(.browserFailed(attempts))
                if attempts.started == nil { onNone() }
            }
            if needsBrowser, attempts?.started == nil { throw WebAuthenticationError.notStarted }
            report(.page(page, attempts ?? BrowserAttempts()))
            if attempts?.started == nil { onNone() }
        }
        self.report = report
        self.paste = paste
        self.timeout = timeout
        self.time = time
    }

    /// Starts to listen, and returns the redirect URI with the port: that of `registered`, or else any free port.
    /// - Parameter registered: the registered redirect URI, an `http` address on loopback.
    /// - Throws: an error with the code `redirect_not_loopback` or `redirect_address_missing` when `registered` is not
    ///   a loopback address of this machine, `redirect_port_taken` when another program listens on its port, or
    ///   `redirect_port_not_allowed` or `redirect_cannot_listen` when the system does not allow this program to listen
    ///   there.
    public func redirectURI(for registered: URL) async throws -> URL {
        // Free the port if a listener of a page that was never opened still uses it.
        if let port = registered.port {
            for listener in take(where: { $0.redirectURI.port == port }) { await listener.stop() }
        }
        let listener = try LoopbackListener.start(for: registered, time: time)
        listeners.withLock { $0[listener.redirectURI.withoutQuery] = listener }
        return listener.redirectURI
    }

    /// Opens the page, waits for its response, and stops listening.
    /// - Throws: an error with the code `browser_timed_out` when no response arrived in time, the errors of
    ///   ``redirectURI(for:)``, ``WebAuthenticationError/notStarted``, or `CancellationError`, also when the person
    ///   stops waiting after an error from an unverified sender.
    public func authenticate(_ request: WebAuthenticationRequest) async throws -> URL {
        let prepared = listeners.withLock { $0.removeValue(forKey: request.redirectURI.withoutQuery) }
        let listener: LoopbackListener
        if let prepared {
            listener = prepared
        } else {
            // Without a port, the authorization server redirects the browser to port 80, so no response can arrive here.
            guard request.redirectURI.port != nil || request.redirectURI.scheme != "http" else {
                throw LoopbackBrowserError.unreachableRedirect(request.redirectURI.absoluteString)
            }
            listener = try LoopbackListener.start(for: request.redirectURI, time: time)
        }
        do {
            let response = try await response(to: request, listener)
            await listener.stop()
            return response
        } catch {
            await listener.stop()
            throw error
        }
    }

    /// Stops listening at every redirect URI whose page was never opened.
    public func close() async {
        for listener in take(where: { _ in true }) { await listener.stop() }
    }

    private func take(where isWanted: (LoopbackListener) -> Bool) -> [LoopbackListener] {
        listeners.withLock { listeners in
            let taken = listeners.filter { isWanted($0.value) }
            for key in taken.keys { listeners[key] = nil }
            return Array(taken.values)
        }
    }

    private func response(to request: WebAuthenticationRequest, _ listener: LoopbackListener) async throws -> URL {
        if let notice = request.notice { report(.notice(notice)) }
        let page = listener.expect(request) { [report] in report(.unconfirmed($0)) }
        let pasting = Locked<(isOver: Bool, task: Task<Void, any Error>?)>((false, nil))
        return try await withThrowingTaskGroup(of: URL.self) { group in
            group.addTask { try await listener.response() }
            group.addTask { [time, timeout] in
                try await time.sleep(for: timeout)
                throw LoopbackBrowserError.timedOut(
                    seconds: Int(timeout.components.seconds), strays: listener.strayCount)
            }
            defer {
                group.cancelAll()
                pasting.exchange((true, nil)).task?.cancel()
            }
            try show(page, { pasting.withLock { !$0.isOver } }) { [self] in
                pasting.withLock { state in
                    guard !state.isOver, state.task == nil else { return }
                    state.task = pastingTask(into: listener)
                }
            }
            guard let callback = try await group.next() else { throw CancellationError() }
            return callback
        }
    }

    /// Starts a task that reads pasted lines until one of them is the expected response; `nil` when nobody can paste.
    private func pastingTask(into listener: LoopbackListener) -> Task<Void, any Error>? {
        guard let paste else { return nil }
        return Task { [report] in
            while case let line = try await paste(), !listener.take(pasted: line) {
                if !line.isEmpty { report(.unusablePaste) }
            }
        }
    }
}

extension URL {
    /// The address up to its query or fragment.
    fileprivate var withoutQuery: String { String(absoluteString.prefix { $0 != "?" && $0 != "#" }) }
}
