import Foundation

/// One wait for a response among all the requests that arrive at a loopback address.
final class LoopbackWait: Sendable {
    private struct State: Sendable {
        /// `nil` once the response has arrived.
        var expected: Expectation?
        /// A response that arrived before ``response()`` was called.
        var arrived: URL?
        var continuation: CheckedContinuation<URL, any Error>?
        var strays = 0
    }

    private struct Expectation: Sendable {
        let id = UUID()
        let request: WebAuthenticationRequest
        /// The path of the page that posts the request's form. Nobody else can guess it.
        let formPath = "/" + UUID().uuidString
    }

    /// How many unexpected requests get a page with an explanation. Further ones get a status only.
    private static let explanations = 16

    private let redirectURI: URL
    private let state = Locked(State())

    init(redirectURI: URL) { self.redirectURI = redirectURI }

    var strayCount: Int { state.withLock { $0.strays } }

    /// Sets the expected response, which may arrive before ``response()`` is called.
    /// - Returns: the address to open.
    func expect(_ request: WebAuthenticationRequest) -> URL {
        let expected = Expectation(request: request)
        state.withLock { ($0.expected, $0.arrived) = (expected, nil) }
        guard request.signOut?.form != nil,
            var page = URLComponents(url: redirectURI, resolvingAgainstBaseURL: true)
        else { return request.url }
        (page.path, page.query, page.fragment) = (expected.formPath, nil, nil)
        return page.url ?? request.url
    }

    /// Waits for the expected response.
    /// - Throws: `CancellationError`.
    func response() async throws -> URL {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (replaced, arrived) = state.withLock { state in
                    defer { state.continuation = state.arrived == nil ? continuation : nil }
                    return (state.continuation, state.arrived)
                }
                replaced?.resume(throwing: CancellationError())
                if let arrived { continuation.resume(returning: arrived) }
                if Task.isCancelled { giveUp() }
            }
        } onCancel: {
            giveUp()
        }
    }

    private func giveUp() { takeContinuation()?.resume(throwing: CancellationError()) }

    private func deliver(_ address: URL) {
        state.withLock { $0.arrived = address }
        takeContinuation()?.resume(returning: address)
    }

    private func takeContinuation() -> CheckedContinuation<URL, any Error>? {
        state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
    }

    func respond(to request: LoopbackRequest) -> LoopbackResponse {
        let path = redirectURI.path.isEmpty ? "/" : redirectURI.path
        if isMeant(request), request.method == "GET", let page = formPage(at: request.target) { return page }
        guard isMeant(request), request.path == path, let query = parameters(of: request) else {
            return LoopbackPage.nothingHere
        }
        guard let expected = state.withLock({ $0.expected }),
            let address = expected.request.redirectURI.replacingQuery(with: query),
            expected.request.isResponse(address), claim(expected)
        else { return explanation() }
        var page = expected.request.signOut == nil ? LoopbackPage.done : LoopbackPage.signedOut
        // Not before the page was sent, because the caller then stops listening.
        page.whenSent = { self.deliver(address) }
        return page
    }

    /// The page that posts the form of the request that is waited for. It is there until the response has arrived.
    private func formPage(at target: String) -> LoopbackResponse? {
        guard let expected = state.withLock({ $0.expected }), let form = expected.request.signOut?.form,
            target == expected.formPath
        else { return nil }
        return LoopbackPage.posting(form)
    }

    /// Of two simultaneous responses the first one counts.
    private func claim(_ expected: Expectation) -> Bool {
        state.withLock { state in
            guard state.expected?.id == expected.id else { return false }
            state.expected = nil
            return true
        }
    }

    private func explanation() -> LoopbackResponse {
        let strays = state.withLock { state in
            state.strays += 1
            return state.strays
        }
        return strays <= Self.explanations ? LoopbackPage.unknownSignIn : LoopbackResponse(status: 400)
    }

    /// Whether the request's host is that of the redirect URI. With DNS rebinding it is the name of another site.
    private func isMeant(_ request: LoopbackRequest) -> Bool {
        let hosts = request.values(of: "Host")
        guard hosts.count == 1, let sent = hosts.first,
            let sentURL = URLComponents(string: "http://\(sent)"), sentURL.path.isEmpty, sentURL.user == nil
        else { return false }
        let expected = URLComponents(url: redirectURI, resolvingAgainstBaseURL: true)
        // A browser omits port 80.
        return sentURL.host?.lowercased() == expected?.host?.lowercased()
            && (sentURL.port ?? 80) == (expected?.port ?? 80)
    }

    /// The response's parameters as a query: those of a redirect, or the fields of a form (OAuth 2.0 Form Post Response
    /// Mode) after those of its address. `nil` for another method or another form.
    private func parameters(of request: LoopbackRequest) -> String? {
        switch request.method {
        case "GET":
            return request.query
        case "POST":
            let type = request.values(of: "Content-Type").first?.split(separator: ";").first
            guard type?.trimmingCharacters(in: .whitespaces).lowercased() == FormText.contentType,
                let body = String(bytes: request.body, encoding: .utf8), let fields = FormText.decode(body)
            else { return nil }
            // Encoded again, because a body may contain characters that an address cannot.
            return [request.query, FormText.encode(fields)].filter { !$0.isEmpty }.joined(separator: "&")
        default:
            return nil
        }
    }
}

extension URL {
    /// The same address with another query.
    fileprivate func replacingQuery(with query: String) -> URL? {
        let base = absoluteString.prefix { $0 != "?" && $0 != "#" }
        return URL(string: query.isEmpty ? String(base) : base + "?" + query)
    }
}
