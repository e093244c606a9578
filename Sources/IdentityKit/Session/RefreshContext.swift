import Foundation

/// Sends the requests of a backend, for one refresh or for verifying its result.
///
/// A refresh token that may have reached the server must not simply be sent again. A token that was never sent may be
/// sent at any time. Therefore, send the request with the refresh token through ``spend(_:)`` or ``spend(by:)``. Both
/// store a record before the token is sent. ``spend(_:)`` also corrects the record if the token was not sent after all.
/// A backend may wrap, translate or drop errors, because only the record decides whether the token may be sent again.
public struct RefreshContext: Sendable {
    private let sender: any HTTPTransport
    private let deadline: Deadline
    private let note: RefreshNote?
    /// The requested token for a resource; `nil` when none is requested.
    package var wish: TokenWish?

    init(
        _ sender: any HTTPTransport, before deadline: Deadline, noting note: RefreshNote?, for wish: TokenWish? = nil
    ) {
        (self.sender, self.deadline, self.note, self.wish) = (sender, deadline, note, wish)
    }

    /// A context without a store, which records nothing, for testing a backend's requests.
    /// - Parameters:
    ///   - transport: sends the requests.
    ///   - time: the clock.
    public init(_ transport: any HTTPTransport, time: TimeSource = .system) {
        self.init(transport, before: Deadline(Deadline.ofRefresh, on: time), noting: nil)
    }

    /// Transport for the requests other than the one with the refresh token, such as for metadata and keys. Sends none
    /// after the deadline of the refresh.
    public var transport: any HTTPTransport { DeadlineTransport(sender, before: deadline) }

    /// Sends the request that carries the refresh token, on a connection of its own.
    ///
    /// If a response only asks for another proof of possession, such as with a nonce (RFC 9449 section 8), the repeated
    /// request counts as the same attempt.
    /// - Returns: the body and the head of the response, whatever the status.
    /// - Throws: ``TransportError``, `CancellationError`, or ``/IdentityCore/TokenStoreError`` when the record about
    ///   sending could not be stored, in which case the token was not sent.
    public func spend(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await spending.data(for: request)
    }

    /// Runs `work`, which sends the refresh token by other means, such as ``HTTPTransport/data(for:upTo:)`` for a
    /// response above the transport's limit. After any error of `work`, the token counts as possibly spent.
    /// - Throws: what `work` throws. Before `work` runs, ``TransportError/notSentInTime(host:)`` when the time of the
    ///   refresh is over, and ``/IdentityCore/TokenStoreError`` as ``spend(_:)`` does.
    public func spend<Value: Sendable>(by work: () async throws -> Value) async throws -> Value {
        try await note?.begin(toSendTo: "the server", saysWhatItSent: false)
        return try await work()
    }

    /// A transport that treats every request as one with the refresh token.
    package var spending: any HTTPTransport { SpendingTransport(transport: transport, note: note) }

    /// Runs `work`, which prepares the request or verifies its result. At the deadline of the refresh, the method
    /// throws even if `work` goes on, for example because other callers wait for the same work.
    /// - Throws: what `work` throws, ``TransportError/notSentInTime(host:)`` at the deadline, and `CancellationError`.
    package func preparing<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await deadline.run(orThrow: TransportError.notSentInTime(host: "the server"), work)
    }
}

private struct SpendingTransport: HTTPTransport {
    let transport: any HTTPTransport
    let note: RefreshNote?

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) { try await data(for: request, upTo: 0) }

    func data(for request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse) {
        var request = request
        request.needsOwnConnection()
        try await note?.begin(toSendTo: request.url?.authority ?? "the server", saysWhatItSent: true)
        do {
            let response = try await transport.data(for: request, upTo: limit)
            note?.noteAnswer()
            return response
        } catch let error as TransportError where error.wasNeverSent {
            note?.takeBack()
            throw error
        } catch let error as TransportError {
            if case .responseTooLarge = error { note?.noteTooLarge() }
            throw error
        }
    }
}
