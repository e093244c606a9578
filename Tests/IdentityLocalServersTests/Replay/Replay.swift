import Foundation
import IdentityKit
import TestSupport

/// What a local server answered.
struct LocalAnswer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: String

    init(status: Int, headers: [String: String], body: String) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    init(_ data: Data, _ head: HTTPURLResponse) {
        let headers = head.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
        self.init(
            status: head.statusCode, headers: Dictionary(headers, uniquingKeysWith: { first, _ in first }),
            body: String(decoding: data, as: UTF8.self))
    }

    /// A header field's value, the name compared case-insensitively.
    func header(_ name: String) -> String? {
        headers.first { $0.key.caseInsensitiveCompare(name) == .orderedSame }?.value
    }
}

extension HTTPTransport {
    func answer(to request: URLRequest) async throws -> LocalAnswer {
        let (data, head) = try await data(for: request)
        return LocalAnswer(data, head)
    }
}

/// Sends recorded requests to a local server.
///
/// The ids and tokens in them were made by the real server. Each is replaced by the one the local server handed out at
/// the same place of the same earlier answer.
struct Replay {
    private(set) var values: RecordedValues
    private let transport = DefaultTransport.make()

    /// - Parameter servers: each recorded base URL with the local one that stands in for it.
    init(servers: [String: URL]) { values = RecordedValues(servers.mapValues(\.absoluteString)) }

    /// Sends the request of `exchange` and learns which local values answer for the recorded ones.
    mutating func send(_ exchange: RecordedExchange) async throws -> LocalAnswer {
        let recorded = exchange.request
        guard let url = URL(string: values.applied(to: recorded.url)) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = recorded.method
        for (name, value) in recorded.headers {
            request.setValue(values.applied(to: value), forHTTPHeaderField: name)
        }
        request.httpBody = recorded.body.map { Data(values.applied(to: $0).utf8) }
        let answer = try await transport.answer(to: request)
        values.learn(from: exchange.response, local: answer)
        return answer
    }
}
