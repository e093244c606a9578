import Foundation

/// Sends the requests of a backend, for one refresh or for verifying its result.
///
/// A refresh token that may have arrived at the server must not be sent again at will; one that has not left may. So the
/// request that carries it goes through ``spend(_:)``, which notes durably that the token is sent, and whether it was. A
/// backend may wrap, translate or drop any error: nobody asks it whether something was sent.
public struct RefreshContext: Sendable {
    private let sender: any HTTPTransport
    private let deadline: Deadline
    private let note: RefreshNote?
    /// The token that is asked for beside the session's own.
    package var wish: TokenWish?

    init(
        _ sender: any HTTPTransport, before deadline: Deadline, noting note: RefreshNote?, for wish: TokenWish? = nil
    ) {
        (self.sender, self.deadline, self.note, self.wish) = (sender, deadline, note, wish)
    }

    /// A context without a store, in which nothing is noted, for a test of a backend's requests.
    /// - Parameters:
    ///   - transport: sends the requests.
    ///   - time: the clock.
    public init(_ transport: any HTTPTransport, time: TimeSource = .system) {
        self.init(transport, before: Deadline(Deadline.ofRefresh, on: time), noting: nil)
    }

    /// Sends the requests that prepare the one with the token, such as for metadata and keys. It sends none after the
    /// deadline of the refresh.
    public var transport: any HTTPTransport { DeadlineTransport(sender, before: deadline) }

    /// Sends the request that carries the refresh token, on a connection of its own.
    ///
    /// A second request, after a response that spent nothing and asked for another proof, belongs to the first.
    /// - Returns: the body and the head of the response, whatever the status.
    /// - Throws: ``TransportError``, `CancellationError`, or ``/IdentityCore/TokenStoreError`` when that the token is sent
    ///   could not be noted; then it was not.
    public func spend(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await spend(request, upTo: 0)
    }

    /// Sends the request that carries the refresh token, for a response with a person's profile.
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: the largest body, in bytes, where that is more than the transport's limit.
    /// - Throws: as ``spend(_:)``.
    public func spend(_ request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse) {
        try await spending.data(for: request, upTo: limit)
    }

    /// Runs `work`, which sends the refresh token in another way. Any error of it leaves the token in doubt.
    /// - Throws: what `work` throws, and ``/IdentityCore/TokenStoreError`` as ``spend(_:)`` does.
    public func spend<Value: Sendable>(by work: () async throws -> Value) async throws -> Value {
        try await note?.begin(toSendTo: "the server", saysWhatItSent: false)
        return try await work()
    }

    /// Sends every request as one that carries the token.
    package var spending: any HTTPTransport { SpendingTransport(transport: transport, note: note) }

    /// The result of `work`, which prepares the request or verifies its result, such as by a request that others wait for
    /// too. It may take the time of the refresh.
    /// - Throws: what `work` throws, and ``TransportError/notSentInTime(host:)``.
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
