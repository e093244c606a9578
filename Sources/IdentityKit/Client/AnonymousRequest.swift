import Foundation

/// A provider that learns its authorization server from the protected resource. Only the response to the app's own
/// first request, sent without a token, is trusted to name the server.
package protocol ResourceAsking: SessionProvider {
    /// Whether `request` goes to the resource, and the resource has not been asked yet. Sends nothing.
    func mayAsk(by request: URLRequest) -> Bool

    /// Learns from the response that refused a request without a token.
    func learn(from refusal: HTTPURLResponse)
}

extension IdentityClient {
    /// Sends `request` without a token when a provider that can sign in does not know its resource yet, and the request
    /// can be repeated. Returns `nil` when the request has to be sent with a token instead.
    /// - Throws: what the transport throws.
    func anonymous<Body>(
        _ request: URLRequest, by sending: Sending<Body>
    ) async throws -> (Body, HTTPURLResponse)? {
        guard request.authorization == nil, request.isOpening else { return nil }
        let asking = chain.signInCandidates(replacing: nil).lazy.compactMap { $0.provider as? any ResourceAsking }
            .first { $0.mayAsk(by: request) }
        guard let asking else { return nil }
        let (body, response) = try await sending(environment.transport, request)
        if (200..<300).contains(response.statusCode) { return (body, response.markedAnonymous) }
        asking.learn(from: response)
        return nil
    }
}

extension URLRequest {
    /// Whether the request can be repeated without side effects: GET, HEAD, or the first message of the Model Context
    /// Protocol, with a body in memory.
    fileprivate var isOpening: Bool {
        guard httpBodyStream == nil else { return false }
        let method = httpMethod ?? "GET"
        if method == "GET" || method == "HEAD" { return true }
        guard method == "POST", let body = httpBody, body.count <= 1 << 16,
            let message = (try? JSONValue(parsing: body))?["method"]?.stringValue
        else { return false }
        return ["initialize", "server/discover"].contains(message)
    }
}

extension HTTPURLResponse {
    private static let markName = "Identity-Anonymous"
    /// Random, so that no server can send the mark itself.
    private static let mark = UUID().uuidString

    /// Whether the request of this response was sent without a token, by a client that would have signed in for it: see
    /// ``IdentityClient/data(for:as:scopes:mayShowSignIn:)``. The mark is a header field that a copy keeps.
    public var isAnonymous: Bool { value(forHTTPHeaderField: Self.markName) == Self.mark }

    fileprivate var markedAnonymous: HTTPURLResponse {
        guard let url else { return self }
        var fields: [String: String] = [Self.markName: Self.mark]
        for (name, value) in allHeaderFields {
            if let name = name as? String, let value = value as? String { fields[name] = value }
        }
        return HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: fields) ?? self
    }

    /// Whether the response asks for more than a new session has: scopes, or a stronger sign-in.
    var asksForMore: Bool { statusCode == 403 || names("insufficient_user_authentication") }
}
