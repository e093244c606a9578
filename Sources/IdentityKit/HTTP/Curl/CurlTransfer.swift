#if canImport(CIdentityCurl)
import CIdentityCurl
import Foundation

/// A request and the part of its response that has arrived. The engine's thread adds to the response, and the caller's
/// tasks read it. Both can end the transfer.
final class CurlTransfer: Sendable {
    private struct State: Sendable {
        var lines = ResponseLines()
        var head: HTTPURLResponse?
        var body = Data()
        var wasSent = false
        var metPrivateAddress = false
        /// Error of the last round of connection attempts that ended without a connection.
        var unconnected: TransportError?
        var isPaused = false
        var end: Result<Void, any Error>?
        /// Number of changes for which readers are woken. Right before a reader suspends, it checks that this number
        /// has not risen since its last look at the state, so that it misses no change.
        var changes = 0
        var readers: [CheckedContinuation<Void, Never>] = []
    }

    /// Receiving pauses when more than this number of bytes of a body is unread.
    private static let window = 1 << 18

    let request: CurlRequest
    let host: String
    /// Largest accepted body, in bytes; `nil` for a body of any size that is read while it arrives.
    private let limit: Int?
    /// Deadlines for sending the request and receiving the response. When the body is read while it arrives, only the
    /// head of the response has to arrive in time.
    let deadlines: [Deadline]
    /// Whether the connection may be made to a proxy.
    let mayUseProxy: Bool
    private let state = Locked(State())

    init(
        _ request: CurlRequest, host: String, limit: Int?, before deadlines: [Deadline], mayUseProxy: Bool = false
    ) {
        (self.request, self.host, self.limit, self.deadlines) = (request, host, limit, deadlines)
        self.mayUseProxy = mayUseProxy
    }

    /// Whether libcurl began to send the request, so that bytes of it may have left this machine.
    var wasSent: Bool { state.withLock { $0.wasSent } }
    /// Whether a connection was refused because its address is private.
    var metPrivateAddress: Bool { state.withLock { $0.metPrivateAddress } }
    var isOver: Bool { state.withLock { $0.end != nil } }

    /// Keeps the error of a round of connection attempts, which another round may follow.
    func note(_ error: TransportError) { state.withLock { $0.unconnected = error } }

    /// Returns the error for a request that got no response within `limit`: ``TransportError/timedOut(host:after:)``
    /// if it was sent, otherwise the error of the last round of connection attempts that ended without a connection, or
    /// ``TransportError/notSentInTime(host:)`` if none has. A connection of a later round on which TLS, or a proxy, has
    /// said nothing yet does not count, because libcurl reports a connection only when it can send the request.
    func error(after limit: Duration) -> TransportError {
        let (wasSent, unconnected) = state.withLock { ($0.wasSent, $0.unconnected) }
        return wasSent ? .timedOut(host: host, after: limit) : unconnected ?? .notSentInTime(host: host)
    }

    func end(_ result: Result<Void, any Error>) {
        change { state in
            if state.end == nil { state.end = result }
        }
    }

    /// Applies a change, and then wakes the waiting readers outside of the lock. Readers that wait for the whole body
    /// are woken only when the transfer has ended.
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, readers) = state.withLock { state -> (Result, [CheckedContinuation<Void, Never>]) in
            let result = body(&state)
            // With a limit, the caller waits for the whole body, so do not wake it before the transfer has ended.
            guard limit == nil || state.end != nil else { return (result, []) }
            state.changes += 1
            defer { state.readers = [] }
            return (result, state.readers)
        }
        for reader in readers { reader.resume() }
        return result
    }

    /// Decides whether libcurl may send the request now. Sending is allowed only once, because the server may have
    /// acted on the first request. After a deadline, the transfer ends with an error and nothing is sent. This check is
    /// needed because the process may have been suspended at the deadline, so that no timer has ended the transfer.
    /// - Returns: whether to send the request.
    func sends() -> Bool {
        guard !deadlines.contains(where: \.hasPassed) else {
            end(.failure(error(after: .zero)))
            return false
        }
        return state.withLock { state in
            defer { state.wasSent = true }
            return !state.wasSent
        }
    }

    /// Takes a line of the header section.
    /// - Returns: whether to go on receiving.
    func take(line: UnsafeRawBufferPointer) -> Bool {
        change { state in
            if state.lines.take(line) { state.head = state.lines.response(from: request.url) }
            guard state.lines.isTooLong else { return state.end == nil }
            state.end = state.end ?? .failure(TransportError.responseTooLarge(host: host, limit: ResponseLines.limit))
            return false
        }
    }

    enum Step { case goOn, pause, stop }

    func take(part: UnsafeRawBufferPointer) -> Step {
        change { state in
            guard state.end == nil else { return .stop }
            if let limit, state.body.count + part.count > limit {
                state.body = Data()
                let isPage = request.isAlone && state.head?.isPage == true
                state.end =
                    isPage ? .success(()) : .failure(TransportError.responseTooLarge(host: host, limit: limit))
                return .stop
            }
            if limit == nil, state.body.count > Self.window {
                state.isPaused = true
                return .pause
            }
            state.body.append(contentsOf: part)
            return .goOn
        }
    }

    func whole() async throws -> (Data, HTTPURLResponse) {
        try await wait { state in
            guard let end = state.end else { return nil }
            return Result { (state.body, try Self.head(of: state, after: end, host: host)) }
        }
    }

    func head() async throws -> HTTPURLResponse {
        try await wait { state in
            if let head = state.head { return .success(head) }
            return state.end.map { end in Result { try Self.head(of: state, after: end, host: host) } }
        }
    }

    /// Waits for bytes of the body, and returns all that are unread; `nil` at the end.
    /// - Parameter goOn: resumes receiving. Called only if receiving was paused.
    /// - Throws: the error with which the transfer ended early.
    func part(goOn: () -> Void) async throws -> Data? {
        let (part, wasPaused): (Data?, Bool) = try await wait { state in
            if state.body.isEmpty { return state.end.map { end in end.map { (nil, false) } } }
            defer { (state.body, state.isPaused) = (Data(), false) }
            return .success((state.body, state.isPaused))
        }
        if wasPaused { goOn() }
        return part
    }

    private static func head(
        of state: State, after end: Result<Void, any Error>, host: String
    ) throws -> HTTPURLResponse {
        try end.get()
        guard let head = state.head else { throw TransportError.other(host: host, detail: "the response was not HTTP") }
        return head
    }

    private func wait<Value>(_ value: (inout State) -> Result<Value, any Error>?) async throws -> Value {
        while true {
            let (result, changes) = state.withLock { (value(&$0), $0.changes) }
            if let result { return try result.get() }
            await withCheckedContinuation { continuation in
                let hasChanged = state.withLock { state in
                    if state.changes == changes { state.readers.append(continuation) }
                    return state.changes != changes
                }
                if hasChanged { continuation.resume() }
            }
        }
    }
}

extension CurlTransfer {
    /// Callbacks for libcurl. Their context is a transfer, which the engine retains as long as they can be called.
    static let callbacks = identity_curl_callbacks(
        line: { bytes, _, count, context in
            guard let bytes, let context else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: count)
            return CurlTransfer.of(context).take(line: line) ? count : 0
        },
        part: { bytes, _, count, context in
            guard let bytes, let context else { return 0 }
            switch CurlTransfer.of(context).take(part: UnsafeRawBufferPointer(start: bytes, count: count)) {
            case .goOn: return count
            case .pause: return IDENTITY_CURL_PAUSE
            case .stop: return 0
            }
        },
        sends: { context, _, _, _, _ in
            guard let context else { return 1 }
            return CurlTransfer.of(context).sends() ? 0 : 1
        })

    /// Callback that checks an address before libcurl connects to it. Any result but zero refuses the address.
    static let refuses: @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int32 = {
        guard let context = $0, let address = $1, $2 >= 2 else { return 1 }
        let family = Int32(address.loadUnaligned(as: sa_family_t.self))
        guard PrivateAddress.contains(UnsafeRawBufferPointer(start: address, count: $2), family: family) else {
            return 0
        }
        CurlTransfer.of(context).state.withLock { $0.metPrivateAddress = true }
        return 1
    }

    private static func of(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
        Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }
}
#endif
