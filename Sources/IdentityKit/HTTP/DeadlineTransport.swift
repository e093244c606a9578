import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Limits the requests of a refresh to its ``RefreshDeadline``. Other requests are sent unchanged.
struct DeadlineTransport: TrustingTransport {
    let base: any HTTPTransport

    /// Wraps `base`, unless it is wrapped already.
    init(_ base: any HTTPTransport) {
        self.base = (base as? DeadlineTransport)?.base ?? base
    }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await limited(request) { try await $0.data(for: request) }
    }

    func data(for request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse) {
        try await limited(request) { try await $0.data(for: request, upTo: limit) }
    }

    /// The deadline holds for the head of the response.
    func stream(for request: URLRequest) async throws -> HTTPStream {
        try await limited(request) { try await $0.stream(for: request) }
    }

    private func limited<Response: Sendable>(
        _ request: URLRequest, _ send: @escaping @Sendable (any HTTPTransport) async throws -> Response
    ) async throws -> Response {
        guard let deadline = RefreshDeadline.current else { return try await send(base) }
        let host = request.url?.authority ?? "the server"
        let remaining = deadline.remaining
        guard remaining > .zero else { throw TransportError.notSentInTime(host: host) }
        return try await Deadline.run(
            remaining, on: deadline.time, orThrow: TransportError.timedOut(host: host, after: remaining)
        ) { [base] in
            try await send(base)
        }
    }

    func trusting(_ certificates: TrustedCertificates) throws(TrustedCertificatesError) -> DeadlineTransport {
        guard let base = base as? any TrustingTransport else { return self }
        return DeadlineTransport(try base.trusting(certificates))
    }
}
