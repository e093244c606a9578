import Foundation

/// A response whose body is read while it arrives, such as a stream of events.
public struct HTTPStream: Sendable {
    /// The status and the header fields.
    public let head: HTTPURLResponse
    /// The parts of the body, which can be read only once. While the reader is slow, the transport may stop
    /// receiving.
    public let body: Body

    /// Makes a response from its head and a source of its body.
    /// - Parameters:
    ///   - head: the status and the header fields.
    ///   - next: returns the next part of the body, or `nil` at the end.
    public init(head: HTTPURLResponse, next: @escaping @Sendable () async throws -> Data?) {
        self.head = head
        body = Body(read: next)
    }

    /// Makes a response whose body has arrived already and is read as one part.
    package init(head: HTTPURLResponse, body: Data) {
        let rest = Locked(Optional(body))
        self.init(head: head) { rest.exchange(nil) }
    }

    /// The parts of a body, in the order of their arrival. A part has any size. Reading throws ``TransportError``, and
    /// `CancellationError` when the task was cancelled.
    public struct Body: AsyncSequence, AsyncIteratorProtocol, Sendable {
        fileprivate let read: @Sendable () async throws -> Data?

        /// Returns the body itself: all iterators share the position, so each part is read once.
        public func makeAsyncIterator() -> Body { self }

        /// Waits for the next part of the body; `nil` at the end.
        /// - Throws: ``TransportError``, or `CancellationError`.
        public func next() async throws -> Data? { try await read() }
    }
}

extension HTTPStream: Reticent {
    /// Shows only the status, because the address and the fields may hold secrets.
    package var shown: KeyValuePairs<String, Any> { ["status": head.statusCode] }
}
