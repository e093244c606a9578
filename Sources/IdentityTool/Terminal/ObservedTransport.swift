import Foundation
import IdentityKit

/// A transport that counts its requests, and reports each request and its outcome without secrets.
final class ObservedTransport: TrustingTransport, PunctualTransport {
    private let base: any HTTPTransport
    private let count: Locked<Int>
    private let observe: @Sendable (ExchangeLine) -> Void

    /// - Parameters:
    ///   - base: the transport that sends the requests.
    ///   - observe: receives a line after the response to each request, or after its failure.
    convenience init(
        _ base: any HTTPTransport = DefaultTransport.make(), observe: @escaping @Sendable (ExchangeLine) -> Void
    ) {
        self.init(base, count: Locked(0), observe: observe)
    }

    private init(_ base: any HTTPTransport, count: Locked<Int>, observe: @escaping @Sendable (ExchangeLine) -> Void) {
        self.base = base
        self.count = count
        self.observe = observe
    }

    func trusting(_ certificates: TrustedCertificates) throws(TrustedCertificatesError) -> ObservedTransport {
        guard let base = base as? any TrustingTransport else { return self }
        return ObservedTransport(try base.trusting(certificates), count: count, observe: observe)
    }

    var requestCount: Int { count.withLock { $0 } }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await observed(request, { ($0.1, $0.0) }) { try await base.data(for: request) }
    }

    func data(for request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse) {
        try await observed(request, { ($0.1, $0.0) }) { try await base.data(for: request, upTo: limit) }
    }

    func data(
        for request: URLRequest, upTo limit: Int, before deadline: Deadline
    ) async throws -> (Data, HTTPURLResponse) {
        let transport = DeadlineTransport(base, before: deadline)
        return try await observed(request, { ($0.1, $0.0) }) { try await transport.data(for: request, upTo: limit) }
    }

    /// Sends the request and reports it as soon as the head of the response has arrived, before the body.
    func stream(for request: URLRequest) async throws -> HTTPStream {
        try await observed(request, { ($0.head, Data()) }) { try await base.stream(for: request) }
    }

    private func observed<Response>(
        _ request: URLRequest, _ parts: (Response) -> (head: HTTPURLResponse, body: Data),
        _ send: () async throws -> Response
    ) async throws -> Response {
        count.withLock { $0 += 1 }
        let clock = ContinuousClock()
        let start = clock.now
        do {
            let response = try await send()
            let (head, body) = parts(response)
            observe(ExchangeLine(request, head, body, after: start.duration(to: clock.now)))
            return response
        } catch {
            observe(ExchangeLine(request, failedWith: error, after: start.duration(to: clock.now)))
            throw error
        }
    }
}
