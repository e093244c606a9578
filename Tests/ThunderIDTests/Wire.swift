import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The default transport, with a memory of what was sent.
final class Wire: HTTPTransport {
    /// One request with its response.
    struct Exchange: Sendable {
        let method: String
        let url: URL
        let headers: [String: String]
        let body: String
        let status: Int
        let answer: String

        var path: String { url.path }
        /// The parameters of the query and of a form.
        func parameter(_ name: String) -> String? {
            let fields = [url.query(percentEncoded: true) ?? "", body].flatMap { FormEncoding.decode($0) ?? [] }
            return fields.first { $0.name == name }?.value
        }
        /// The body as JSON.
        var json: JSONValue? { try? JSONValue(parsing: Data(body.utf8)) }
        var answeredJSON: JSONValue? { try? JSONValue(parsing: Data(answer.utf8)) }
        func header(_ name: String) -> String? {
            headers.first { $0.key.lowercased() == name.lowercased() }?.value
        }
    }

    private let base = DefaultTransport.make()
    private let log = Locked<[Exchange]>([])

    var exchanges: [Exchange] { log.withLock { $0 } }

    /// The requests to a path, oldest first.
    func requests(to path: String) -> [Exchange] {
        exchanges.filter { $0.path == path }
    }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let (data, response) = try await base.data(for: request)
        if let url = request.url {
            let exchange = Exchange(
                method: request.httpMethod ?? "GET", url: url, headers: request.allHTTPHeaderFields ?? [:],
                body: String(decoding: request.httpBody ?? Data(), as: UTF8.self), status: response.statusCode,
                answer: String(decoding: data, as: UTF8.self))
            log.withLock { $0.append(exchange) }
        }
        return (data, response)
    }
}

/// A transport that takes a member out of every JSON response.
final class EditedWire: HTTPTransport {
    private let base = DefaultTransport.make()
    private let member = Locked<String?>(nil)

    /// Takes this member out from now on; `nil` for none.
    func removes(_ name: String?) { member.withLock { $0 = name } }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let (data, response) = try await base.data(for: request)
        guard let member = member.withLock({ $0 }), var members = (try? JSONValue(parsing: data))?.objectValue,
            members.removeValue(forKey: member) != nil
        else { return (data, response) }
        return (try JSONEncoder().encode(members), response)
    }
}
