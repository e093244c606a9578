import Foundation
import IdentityKit
import OAuthKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The requests of the InsForge authentication API that this library makes, by subject in the files beside this one.
///
/// Every request that can yield a session says what kind of client asks: without that the server takes it for a web page
/// and hands the refresh token out as a cookie (contract 0.3).
struct InsForgeAPI: Sendable {
    let baseURL: ServerURL
    /// The project's anonymous key, which can be exchanged while the app runs.
    let anonKey: Locked<String?>
    let transport: any HTTPTransport
    var clientType = ClientType.mobile
    /// Header fields the app wants on every request.
    var headers: [String: String] = [:]
    var log = InsForgeLog.silent
    /// Whether requests that only read are repeated.
    var retry = RetryConfiguration.disabled
    /// What pauses between repetitions.
    var time = TimeSource.system

    init(baseURL: ServerURL, anonKey: Locked<String?>, transport: any HTTPTransport) {
        self.baseURL = baseURL
        self.anonKey = anonKey
        self.transport = transport
    }

    // MARK: Building a request

    /// `GET /api/<path>`.
    /// - Throws: ``/IdentityKit/MalformedTokenError``.
    func get(_ path: String, _ query: [FormField] = [], bearer: String? = nil) throws -> URLRequest {
        try request("GET", path, query, bearer: bearer)
    }

    /// A request with a JSON body and the client's type.
    func call(
        _ path: String, _ body: [String: JSONValue] = [:], method: String = "POST", bearer: String? = nil
    ) throws -> URLRequest {
        var request = try request(method, path, [FormField("client_type", clientType.rawValue)], bearer: bearer)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(body)
        return request
    }

    private func request(
        _ method: String, _ path: String, _ query: [FormField], bearer: String?
    ) throws -> URLRequest {
        let url = baseURL.appending("api/" + path)
        let withQuery = query.isEmpty ? nil : URL(string: url.absoluteString + "?" + FormEncoding.encode(query))
        var request = URLRequest(url: withQuery ?? url)
        request.httpMethod = method
        // The app's own fields come first, so that they replace none of the protocol's.
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        // A field of the app's own under this name is not sent either.
        request.setValue(nil, forHTTPHeaderField: "Authorization")
        return try bearer.map(request.bearing) ?? request
    }

    // MARK: Sending

    /// Sends a request and reads its answer. One that only reads is repeated as the app wants it.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    func send<Answer: Decodable>(
        _ request: URLRequest, during operation: InsForgeAuthError.Operation = .other
    ) async throws -> Answer {
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

    private func sendOnce<Answer: Decodable>(
        _ request: URLRequest, during operation: InsForgeAuthError.Operation
    ) async throws -> Answer {
        let (body, response) = try await answer(to: request)
        guard 200..<300 ~= response.statusCode else {
            throw InsForgeAuthError(refusal: body, response, during: operation)
        }
        return try read(body, response)
    }

    /// Reads an answer that is no refusal.
    /// - Throws: ``InsForgeAuthError/unreadableAnswer(status:)``.
    func read<Answer: Decodable>(_ body: Data, _ response: HTTPURLResponse) throws -> Answer {
        do {
            return try JSONDecoder.decodeForeign(Answer.self, from: body)
        } catch {
            throw InsForgeAuthError.unreadableAnswer(status: response.statusCode)
        }
    }

    /// Sends a request whose answer says nothing more.
    func perform(_ request: URLRequest) async throws {
        let _: JSONValue = try await send(request)
    }

    /// Sends a request and writes down what a log may know: method, path and status. The query, the header and the body
    /// hold passwords, codes and tokens.
    func answer(to request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let name = "\(request.httpMethod ?? "GET") \(request.url?.path ?? "")"
        log(.trace, "\(name) is sent")
        do {
            let answer = try await transport.data(for: request)
            let status = answer.1.statusCode
            log(status < 400 ? .debug : .warning, "\(name) was answered with \(status)")
            return answer
        } catch let error as TransportError {
            log(.error, "\(name) got no answer: \(error.failureCode)")
            throw InsForgeAuthError.networkError(error)
        }
    }
}

extension InsForgeAPI: CustomReflectable {
    /// Shows neither a key nor what an app puts into its header fields.
    var customMirror: Mirror { Mirror(self, showing: ["baseURL": baseURL]) }
}
