#if Tools
import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport that counts its requests and tells what they were, without anything secret.
final class ObservedTransport: HTTPTransport {
    private let base = URLSessionTransport()
    private let count = Locked(0)
    private let observe: @Sendable (String) -> Void

    /// - Parameter observe: is given one line for each request.
    init(observe: @escaping @Sendable (String) -> Void = { _ in }) {
        self.observe = observe
    }

    /// How many requests were sent so far.
    var requestCount: Int { count.withLock { $0 } }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        count.withLock { $0 += 1 }
        do {
            let (data, response) = try await base.data(for: request)
            observe("\(Self.requestLine(request)) -> \(response.statusCode)")
            return (data, response)
        } catch {
            observe("\(Self.requestLine(request)) -> \((error as? any IdentityFailure)?.failureCode ?? "cancelled")")
            throw error
        }
    }

    /// Method and address. Of a query only the names are shown: the values are codes and challenges.
    private static func requestLine(_ request: URLRequest) -> String {
        guard let url = request.url, let components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return "? ?"
        }
        let names = (components.queryItems ?? []).map { "\($0.name)=<redacted>" }
        let query = names.isEmpty ? "" : "?" + names.joined(separator: "&")
        let origin = "\(components.scheme ?? "")://\(components.host ?? ""):\(components.port ?? 443)"
        return "\(request.httpMethod ?? "GET") \(origin)\(components.path)\(query)"
    }
}
#endif
