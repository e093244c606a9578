import Foundation
import IdentityKit
import IdentityOAuth

/// Sends requests to ThunderID's own APIs, which have JSON bodies and ThunderID's error format.
struct ServerAPI: Sendable {
    let baseURL: ServerURL
    let transport: any HTTPTransport

    enum Authorization: Sendable {
        case none
        case bearer(Secret)
        case dpop(Secret, DPoPProver)

        /// The authorization without a DPoP proof, for requests to `/users`. The server accepts only bearer tokens there, and
        /// does not check whether a token is bound to a key.
        var asBearer: Authorization {
            if case .dpop(let token, _) = self { .bearer(token) } else { self }
        }
    }

    func get<Body: Decodable>(
        _ path: String, query: [FormField] = [], as authorization: Authorization = .none
    ) async throws -> Body {
        try await send("GET", path, query: query, as: authorization)
    }

    func post<Body: Decodable>(
        _ path: String, _ body: [String: JSONValue], headers: [String: Secret] = [:],
        as authorization: Authorization = .none
    ) async throws -> Body {
        try await send("POST", path, body: body, headers: headers, as: authorization)
    }

    /// Sends a request and decodes the body of the response.
    /// - Throws: ``IAMError`` for a status other than 200 or an unreadable body; otherwise as
    ///   ``response(_:_:query:body:headers:as:)``.
    func send<Body: Decodable>(
        _ method: String, _ path: String, query: [FormField] = [], body: [String: JSONValue]? = nil,
        headers: [String: Secret] = [:], as authorization: Authorization = .none
    ) async throws -> Body {
        let (data, response) = try await response(
            method, path, query: query, body: body, headers: headers, as: authorization)
        guard response.statusCode == 200 else { throw Self.failure(data, response) }
        do {
            return try JSONDecoder.decodeForeign(Body.self, from: data)
        } catch {
            throw IAMError(.serverError, "The server's response could not be understood. Try again later.")
        }
    }

    /// Sends a request and returns the response with any status.
    /// - Throws: ``IAMError``, `CancellationError`, `RandomnessError` from a DPoP proof, or `MalformedTokenError` for a
    ///   token or header value that is empty or has characters outside of printable ASCII.
    func response(
        _ method: String, _ path: String, query: [FormField] = [], body: [String: JSONValue]? = nil,
        headers: [String: Secret] = [:], as authorization: Authorization = .none
    ) async throws -> (Data, HTTPURLResponse) {
        var request = URLRequest(url: try url(path, query))
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        for (name, value) in headers {
            request.setValue(try value.reveal().asToken(name), forHTTPHeaderField: name)
        }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(body)
            request.needsOwnConnection()
        }
        return try await IAMError.translating {
            switch authorization {
            case .none: break
            case .bearer(let token):
                request = try request.bearing(token.reveal())
            case .dpop(let token, let prover):
                try prover.prove(&request, accessToken: token)
            }
            let received = try await transport.data(for: request)
            if case .dpop(_, let prover) = authorization { prover.learn(from: received.1) }
            return received
        }
    }

    /// Returns the error for an unsuccessful response.
    ///
    /// - If the body has ThunderID's error format, this is the error in the body. An unknown error code with status 429 or 5xx
    ///   is ignored, because a gateway may have sent the body.
    /// - For any other response with status 404, the error says that there is no ThunderID server at the base URL.
    /// - For any other response, the error is a `serverError` with the status.
    static func failure(_ data: Data, _ response: HTTPURLResponse) -> IAMError {
        let mayPass = response.statusCode == 429 || response.statusCode >= 500
        if let error = (try? JSONDecoder.decodeForeign(APIError.self, from: data))?.iamError,
            error.code != .unknownError || !mayPass
        {
            return error
        }
        if response.statusCode == 404 { return noServer(response, .invalidConfiguration) }
        return IAMError(.serverError, "The server responded with status \(response.statusCode). Try again later.")
    }

    /// Returns the error for a response that does not come from a ThunderID server. By default the code is `serverError`,
    /// because another server, such as a proxy, may have responded only temporarily.
    static func noServer(_ response: HTTPURLResponse, _ code: IAMErrorCode = .serverError) -> IAMError {
        let place = response.url.flatMap { URLParts($0.absoluteString)?.origin } ?? "this address"
        return IAMError(
            code, "There is no ThunderID server at \(place) (status \(response.statusCode)). Check baseURL.")
    }

    private func url(_ path: String, _ query: [FormField]) throws -> URL {
        let url = baseURL.appending(path)
        guard !query.isEmpty else { return url }
        guard let complete = URL(string: url.absoluteString + "?" + FormEncoding.encode(query)) else {
            throw IAMError(.invalidInput, "The request's address could not be made.")
        }
        return complete
    }
}
