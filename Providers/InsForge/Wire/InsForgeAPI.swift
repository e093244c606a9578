import Foundation
import IdentityKit
import IdentityOAuth

/// Sends requests to the InsForge authentication API. Extensions define the requests, in one file for each subject.
///
/// Every request that can open a session has the parameter `client_type`. Without it, the server would send the refresh
/// token as a cookie, as for a web page (Backends/InsForge.md#kinds-of-clients).
struct InsForgeAPI: Sendable {
    let baseURL: ServerURL
    /// The project's anonymous key, which can change while the app runs.
    let anonKey: Locked<String?>
    private(set) var transport: any HTTPTransport
    var clientType = ClientType.mobile
    /// Header fields that the app adds to requests to `/api`. Fields of the protocol override them, and `Authorization` is
    /// left out.
    var headers: [String: String] = [:]
    var log = InsForgeLog.silent
    /// The rules by which a failed `GET` request is repeated.
    var retry = RetryConfiguration.disabled
    /// The clock for the pauses between repetitions.
    var time = TimeSource.system

    init(baseURL: ServerURL, anonKey: Locked<String?>, transport: any HTTPTransport) {
        self.baseURL = baseURL
        self.anonKey = anonKey
        self.transport = transport
    }

    func sending(by transport: any HTTPTransport) -> InsForgeAPI {
        var api = self
        api.transport = transport
        return api
    }

    /// Creates the request `GET /api/<path>`.
    /// - Throws: `MalformedTokenError` if no header can carry `bearer`.
    func get(_ path: String, _ query: [FormField] = [], bearer: String? = nil) throws -> URLRequest {
        try request("GET", path, query, bearer: bearer)
    }

    /// Creates a request to `/api/<path>` with a JSON body and the query parameter `client_type`. The request gets a connection
    /// of its own, because it may contain a code or a token that works only once. If a request failed on a reused connection,
    /// nothing would show whether the server has read it.
    /// - Throws: `MalformedTokenError` if no header can carry `bearer`, or `EncodingError`.
    func call(
        _ path: String, _ body: [String: JSONValue] = [:], method: String = "POST", bearer: String? = nil
    ) throws -> URLRequest {
        var request = try request(method, path, [FormField("client_type", clientType.rawValue)], bearer: bearer)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(body)
        request.needsOwnConnection()
        return request
    }

    private func request(
        _ method: String, _ path: String, _ query: [FormField], bearer: String?
    ) throws -> URLRequest {
        let url = baseURL.appending("api/" + path)
        let withQuery = query.isEmpty ? nil : URL(string: url.absoluteString + "?" + FormEncoding.encode(query))
        var request = URLRequest(url: withQuery ?? url)
        request.httpMethod = method
        // Set these first, so that the protocol's fields override them.
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        // Drop an `Authorization` among the app's fields: only `bearer` decides whose token is sent.
        request.setValue(nil, forHTTPHeaderField: "Authorization")
        return try bearer.map(request.bearing) ?? request
    }

    /// Sends a request and decodes the body of its response. A failed `GET` request is repeated according to ``retry``.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    func send<Content: Decodable>(
        _ request: URLRequest, during operation: InsForgeAuthError.Operation = .other
    ) async throws -> Content {
        var attempts = 1
        while true {
            do {
                return try await sendOnce(request, during: operation)
            } catch {
                guard request.httpMethod == "GET", let pause = retry.pause(after: error, attempts: attempts) else {
                    throw error
                }
                attempts += 1
                try await time.sleep(for: pause)
            }
        }
    }

    private func sendOnce<Content: Decodable>(
        _ request: URLRequest, during operation: InsForgeAuthError.Operation
    ) async throws -> Content {
        let limit = Content.self is any ProfileCarrier.Type ? ResponseSize.withProfile : 0
        let (body, response) = try await accepted(request, during: operation, upTo: limit)
        return try read(body, response)
    }

    /// Returns the response to `request` if its status is a success.
    private func accepted(
        _ request: URLRequest, during operation: InsForgeAuthError.Operation, upTo limit: Int = 0
    ) async throws -> (Data, HTTPURLResponse) {
        let (body, response) = try await response(to: request, upTo: limit)
        guard 200..<300 ~= response.statusCode else {
            throw InsForgeAuthError(body, response, during: operation)
        }
        return (body, response)
    }

    /// Decodes the body of a successful response.
    /// - Throws: ``InsForgeAuthError/unreadableResponse(status:)``.
    func read<Content: Decodable>(_ body: Data, _ response: HTTPURLResponse) throws -> Content {
        do {
            return try JSONDecoder.decodeForeign(Content.self, from: body.withoutByteOrderMark)
        } catch {
            throw InsForgeAuthError.unreadableResponse(status: response.statusCode)
        }
    }

    /// Sends a request, and checks only that it succeeded. An HTML page counts as a failure even with a successful
    /// status, because a proxy sent it in the server's place.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    func perform(_ request: URLRequest) async throws {
        let (body, response) = try await accepted(request, during: .other)
        guard !response.hasPage(body) else {
            throw InsForgeAuthError.unreadableResponse(status: response.statusCode)
        }
    }

    /// Sends a request and logs its method, path and status. Query, header and body are not logged, because they
    /// contain passwords, codes and tokens.
    /// - Parameter limit: the largest accepted body in bytes, used if it exceeds the transport's limit.
    /// - Throws: ``InsForgeAuthError/networkError(_:)``, or `CancellationError`.
    func response(to request: URLRequest, upTo limit: Int = 0) async throws -> (Data, HTTPURLResponse) {
        let name = "\(request.httpMethod ?? "GET") \(request.url?.path ?? "")"
        log(.trace, "\(name) is sent")
        do {
            let (body, response) = try await transport.data(for: request, upTo: limit)
            log(response.statusCode < 400 ? .debug : .warning, "\(name) returned \(response.statusCode)")
            return (body, response)
        } catch let error as TransportError {
            log(.error, "\(name) got no response: \(error.failureCode)")
            throw InsForgeAuthError.networkError(error)
        }
    }
}

extension InsForgeAPI: Reticent {
    /// Shows neither the key nor the header fields.
    var shown: KeyValuePairs<String, Any> { ["baseURL": baseURL] }
}

extension Data {
    /// The content without a byte order mark, which a parser may ignore (RFC 8259 section 8.1).
    fileprivate var withoutByteOrderMark: Data { hasByteOrderMark ? Data(dropFirst(3)) : self }

    var hasByteOrderMark: Bool { starts(with: [0xEF, 0xBB, 0xBF]) }
}
