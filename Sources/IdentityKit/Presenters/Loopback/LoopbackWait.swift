import Foundation

/// Waits for the expected response among all requests that arrive at a loopback address.
final class LoopbackWait: Sendable {
    private struct State: Sendable {
        /// The request whose response is expected; `nil` until `expect` is called, and once the wait has its result.
        var expected: Expectation?
        /// The result of the wait, kept for a later call of ``response()``.
        var arrived: Result<URL, any Error>?
        /// The codes of unconfirmed errors that were already reported.
        var told: Set<String> = []
        var continuation: CheckedContinuation<URL, any Error>?
        var strays = 0
    }

    private struct Expectation: Sendable {
        let id = UUID()
        let request: WebAuthenticationRequest
        /// The path of the page that posts the request's form. The path is random, so that no other program can guess it.
        let formPath = "/" + UUID().uuidString
        /// The path to which the button "Stop waiting" posts on the page about an unconfirmed error. The path is random, so
        /// that only a reader of that page knows it.
        let stopPath = "/" + UUID().uuidString
        let report: @Sendable (_ code: String) -> Void
    }

    /// The number of unexpected requests that get a page with an explanation, and whose errors are reported. Later
    /// requests get only the status 400.
    private static let explanations = 16

    private let redirectURI: URL
    private let state = Locked(State())

    init(redirectURI: URL) { self.redirectURI = redirectURI }

    var strayCount: Int { state.withLock { $0.strays } }

    /// Sets the expected response, which may arrive before ``response()`` is called.
    /// - Parameter report: called once for each error code that an unverified sender reports in the first 16 unexpected
    ///   requests.
    /// - Returns: the address to open: that of the request, or, for a sign-out with a form, that of the page that posts
    ///   the form.
    func expect(_ request: WebAuthenticationRequest, _ report: @escaping @Sendable (_ code: String) -> Void) -> URL {
        let expected = Expectation(request: request, report: report)
        state.withLock { ($0.expected, $0.arrived) = (expected, nil) }
        guard request.signOut?.form != nil,
            var page = URLComponents(url: redirectURI, resolvingAgainstBaseURL: true)
        else { return request.url }
        (page.path, page.query, page.fragment) = (expected.formPath, nil, nil)
        return page.url ?? request.url
    }

    /// Waits for the expected response.
    /// - Throws: `CancellationError` when the task is cancelled, when ``stop()`` is called, when another call of this function
    ///   replaces this one, or when the person presses "Stop waiting" on the page about an unconfirmed error.
    func response() async throws -> URL {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (replaced, arrived) = state.withLock { state in
                    defer { state.continuation = state.arrived == nil ? continuation : nil }
                    return (state.continuation, state.arrived)
                }
                replaced?.resume(throwing: CancellationError())
                if let arrived { continuation.resume(with: arrived) }
                if Task.isCancelled { giveUp() }
            }
        } onCancel: {
            giveUp()
        }
    }

    /// Ends the wait with `CancellationError`, unless the response has arrived. A later response is not accepted.
    func stop() {
        state.withLock { state in
            state.expected = nil
            state.arrived = state.arrived ?? .failure(CancellationError())
        }
        giveUp()
    }

    private func giveUp() { takeContinuation()?.resume(throwing: CancellationError()) }

    private func end(with result: Result<URL, any Error>) {
        state.withLock { $0.arrived = result }
        takeContinuation()?.resume(with: result)
    }

    private func takeContinuation() -> CheckedContinuation<URL, any Error>? {
        state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
    }

    func respond(to request: LoopbackRequest) -> LoopbackResponse {
        let path = redirectURI.path.isEmpty ? "/" : redirectURI.path
        if isMeant(request), let page = ownPage(for: request) { return page }
        guard isMeant(request), request.path == path, let query = parameters(of: request) else {
            return LoopbackPage.nothingHere
        }
        guard let expected = state.withLock({ $0.expected }),
            let address = expected.request.redirectURI.replacingQuery(with: query)
        else { return explanation() }
        guard expected.request.isResponse(address), claim(expected) else {
            return explanation(expected.request.unconfirmedError(address).map { (expected, $0) })
        }
        let page = expected.request.signOut == nil ? LoopbackPage.done(address) : LoopbackPage.signedOut
        return ending(page, .success(address))
    }

    /// Returns `page`. The wait ends with `result` only after the page has been sent, because the caller then stops
    /// listening.
    private func ending(_ page: LoopbackResponse, _ result: Result<URL, any Error>) -> LoopbackResponse {
        var page = page
        page.whenSent = { self.end(with: result) }
        return page
    }

    /// Returns the response to a request for `formPath` or `stopPath`: the page that posts the form of a sign-out, or
    /// the page that confirms that the wait ends. Returns `nil` for other requests, and once the wait has its result.
    private func ownPage(for request: LoopbackRequest) -> LoopbackResponse? {
        guard let expected = state.withLock({ $0.expected }) else { return nil }
        switch (request.method, request.target) {
        case ("GET", expected.formPath): return expected.request.signOut?.form.map(LoopbackPage.posting)
        case ("POST", expected.stopPath) where claim(expected):
            return ending(LoopbackPage.stopped, .failure(CancellationError()))
        default: return nil
        }
    }

    /// Claims the right to end the wait. Of several simultaneous requests, only the first gets `true`.
    private func claim(_ expected: Expectation) -> Bool {
        state.withLock { state in
            guard state.expected?.id == expected.id else { return false }
            state.expected = nil
            return true
        }
    }

    /// Counts and answers a request to the redirect URI that is not the expected response.
    /// - Parameter unconfirmed: `code` is the code of an error whose sender cannot be verified, and `expected` is the
    ///   expectation that the request did not meet. `nil` when the request reports no such error.
    private func explanation(_ unconfirmed: (expected: Expectation, code: String)? = nil) -> LoopbackResponse {
        let (strays, isNew) = state.withLock { state in
            state.strays += 1
            return (state.strays, unconfirmed.map { state.told.insert($0.code).inserted } == true)
        }
        guard strays <= Self.explanations else { return LoopbackResponse(status: 400) }
        guard let (expected, code) = unconfirmed else { return LoopbackPage.unknownSignIn }
        if isNew { expected.report(code) }
        return LoopbackPage.unconfirmed(code, stop: expected.stopPath)
    }

    /// Whether the request's `Host` has the host and port of the redirect URI. If a page of another site reaches this listener
    /// by DNS rebinding, `Host` names that site.
    private func isMeant(_ request: LoopbackRequest) -> Bool {
        let hosts = request.values(of: "Host")
        guard hosts.count == 1, let sent = hosts.first,
            let sentURL = URLComponents(string: "http://\(sent)"), sentURL.path.isEmpty, sentURL.user == nil
        else { return false }
        let expected = URLComponents(url: redirectURI, resolvingAgainstBaseURL: true)
        // Compare the host and the port separately, because a browser omits port 80.
        return sentURL.host?.lowercased() == expected?.host?.lowercased()
            && (sentURL.port ?? 80) == (expected?.port ?? 80)
    }

    /// The parameters of the response as a query. The fields of a posted form (OAuth 2.0 Form Post Response Mode)
    /// follow the query of the address. `nil` for a method other than GET and POST, for another media type, or for an
    /// undecodable form.
    private func parameters(of request: LoopbackRequest) -> String? {
        switch request.method {
        case "GET":
            return request.query
        case "POST":
            let type = request.values(of: "Content-Type").first?.split(separator: ";").first
            guard type?.trimmingCharacters(in: .whitespaces).lowercased() == FormText.contentType,
                let body = String(bytes: request.body, encoding: .utf8), let fields = FormText.decode(body)
            else { return nil }
            // Encode again, because a body may contain characters that an address cannot.
            return [request.query, FormText.encode(fields)].filter { !$0.isEmpty }.joined(separator: "&")
        default:
            return nil
        }
    }
}

extension URL {
    /// Returns the address with `query` instead of its query and fragment; `nil` when `query` cannot be in an address.
    fileprivate func replacingQuery(with query: String) -> URL? {
        let base = absoluteString.prefix { $0 != "?" && $0 != "#" }
        return URL(string: query.isEmpty ? String(base) : base + "?" + query)
    }
}
