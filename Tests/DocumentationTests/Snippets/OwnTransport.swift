import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

enum OwnTransport {
    // snippet: own-transport
    /// Sends with the client that the rest of the program uses.
    struct CompanyTransport: HTTPTransport {
        let client: CompanyClient

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            let host = request.url?.host ?? ""
            guard let url = request.url else { throw TransportError.notSent(host: host, detail: "it has no address") }
            do {
                let answer = try await client.send(
                    request.httpMethod ?? "GET", url, request.allHTTPHeaderFields ?? [:], request.httpBody)
                let head = HTTPURLResponse(
                    url: url, statusCode: answer.status, httpVersion: nil, headerFields: answer.fields)
                guard let head else { throw TransportError.other(host: host, detail: "the response was not HTTP") }
                return (answer.body, head)
            } catch CompanyClient.Failure.noConnection {
                // Nothing was sent, so a refresh may be tried again at once.
                throw TransportError.connectionRefused(host: host)
            } catch CompanyClient.Failure.brokenConnection {
                // The server may have acted on the request.
                throw TransportError.connectionLost(host: host)
            }
        }
    }
    // end snippet

    struct CompanyClient: Sendable {
        enum Failure: Error { case noConnection, brokenConnection }
        struct Answer: Sendable { let status: Int, fields: [String: String], body: Data }

        func send(_ method: String, _ url: URL, _ fields: [String: String], _ body: Data?) async throws -> Answer {
            throw Failure.noConnection
        }
    }
}
