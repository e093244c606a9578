import Foundation

/// Sends requests through another transport until a deadline. At the deadline, a request without a response fails. After
/// the deadline, no request is sent.
package struct DeadlineTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let deadline: Deadline

    package init(_ base: any HTTPTransport, before deadline: Deadline) {
        (self.base, self.deadline) = (base, deadline)
    }

    package func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await data(for: request, upTo: 0)
    }

    package func data(for request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse) {
        let late = try error(for: request)
        if let base = base as? any PunctualTransport {
            return try await base.data(for: request, upTo: limit, before: deadline)
        }
        return try await deadline.run(orThrow: late) { [base] in try await base.data(for: request, upTo: limit) }
    }

    /// Sends `request`; see `HTTPTransport.stream(for:)`. The deadline applies to the head of the response only.
    /// - Throws: `TransportError`, or `CancellationError`.
    package func stream(for request: URLRequest) async throws -> HTTPStream {
        try await deadline.run(orThrow: error(for: request)) { [base] in try await base.stream(for: request) }
    }

    /// Returns the error for a request that gets no response in time.
    /// - Throws: ``TransportError/notSentInTime(host:)`` when the deadline has passed already.
    private func error(for request: URLRequest) throws(TransportError) -> TransportError {
        let (host, remaining) = (request.url?.authority ?? "the server", deadline.remaining)
        guard remaining > .zero else { throw .notSentInTime(host: host) }
        return .timedOut(host: host, after: remaining)
    }
}

/// A transport that observes the deadline of a request itself, so that it knows whether the request was sent.
package protocol PunctualTransport: HTTPTransport {
    /// Sends `request` as ``HTTPTransport/data(for:upTo:)`` does. At `deadline`, a request without a complete response
    /// fails. After `deadline`, no byte of the request is sent.
    /// - Throws: ``TransportError``, or `CancellationError`.
    func data(
        for request: URLRequest, upTo limit: Int, before deadline: Deadline
    ) async throws -> (Data, HTTPURLResponse)
}
