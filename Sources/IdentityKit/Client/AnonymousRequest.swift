import Foundation

/// A provider that learns its authorization server from the protected resource (RFC 9728). The client passes it the
/// resource's response to a request of the app that was sent without a token.
package protocol ResourceAsking: SessionProvider {
    /// Whether `request` goes to the resource, and the authorization server is still unknown: the provider has neither
    /// discovered a server nor received a refusal of the resource. Sends nothing.
    func mayAsk(by request: URLRequest) -> Bool

    /// Learns the authorization server from the response to a request without a token. The client passes every response
    /// other than 2xx, and a provider uses only refusals, such as 401.
    func learn(from refusal: HTTPURLResponse)
}

extension IdentityClient {
    /// Sends `request` without a token, if it can be repeated and goes to the resource of a provider that does not know
    /// its authorization server yet. If the resource refuses the request, the provider learns from the response.
    /// - Returns: a 2xx response; `nil` when the request has to be sent with a token.
    /// - Throws: what the transport throws.
    func anonymous<Body>(
        _ request: URLRequest, by sending: Sending<Body>
    ) async throws -> (Body, HTTPURLResponse)? {
        guard request.authorization == nil, request.isOpening else { return nil }
        let link = chain.signInCandidates(replacing: nil)
            .first { ($0.provider as? any ResourceAsking)?.mayAsk(by: request) == true }
        guard let link, let asking = link.provider as? any ResourceAsking else { return nil }
        let transport = transport(ofProvider: link.name)
        let (body, response) = try await ProviderError.classifying { try await sending(transport, request) }
        if (200..<300).contains(response.statusCode) { return (body, response.markedAnonymous) }
        asking.learn(from: response)
        return nil
    }
}

extension URLRequest {
    /// Whether the request can be repeated without side effects: GET, HEAD, or the POST of a first message of the Model
    /// Context Protocol (`initialize` or `server/discover`) of up to 64 KiB. A body must be in memory.
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
    /// The value of the header field that marks a response as anonymous. It is random, so that no server can send it.
    private static let mark = UUID().uuidString

    /// Whether a client sent the request of this response without a token, although the call allowed the client to show a
    /// sign-in; see ``IdentityClient/data(for:as:scopes:mayShowSignIn:)``. The client marks such a response with a header
    /// field, so copies of the response are anonymous too.
    public var isAnonymous: Bool { value(forHTTPHeaderField: Self.markName) == Self.mark }

    fileprivate var markedAnonymous: HTTPURLResponse {
        guard let url else { return self }
        var fields: [String: String] = [:]
        for (name, value) in allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            if name.caseInsensitiveCompare(Self.markName) != .orderedSame { fields[name] = value }
        }
        fields[Self.markName] = Self.mark
        return HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: fields) ?? self
    }

    /// Whether an ordinary sign-in may not be enough. A 403 may require more scopes, and the error
    /// `insufficient_user_authentication` requires a stronger or more recent sign-in (RFC 9470).
    var asksForMore: Bool { statusCode == 403 || names("insufficient_user_authentication") }
}
