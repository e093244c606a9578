import Foundation
import IdentityKit
import NIOCore
import NIOHTTP1
import NIOPosix

/// An HTTP/1.1 server on 127.0.0.1, by default on an ephemeral port, for tests and the demo.
///
/// Requests on one connection are handled in order, requests on different connections concurrently. The sizes of heads and
/// bodies are limited. The last 10,000 handled requests are in ``log``.
public final class LocalHTTPServer: Sendable {
    /// Acts on one request and returns the response. Handlers of different connections run concurrently.
    public typealias Handler = @Sendable (LocalRequest) async -> LocalResponse

    /// A handled request without anything secret: no query, no header fields, no body.
    public struct LogEntry: Sendable, Equatable {
        public let method: String
        /// The percent-decoded path without the query, cut off after 2,048 bytes.
        public let path: String
        /// The status of the response; 0 if the server sent none.
        public let status: Int
        /// The time at which the whole request had arrived, by the server's time source.
        public let date: Date
        /// The time from the arrival of the request until the response was ready to be sent.
        public let duration: Duration
        /// The reason for a refusal, such as an error and its description. If a ``Fault`` or ``StandingFaults/failure``
        /// applied, the reason is `a fault that was set`. `nil` if the response is not a refusal or gives no reason.
        public let reason: String?
    }

    /// The address at which the server listens, such as `http://127.0.0.1:49152`.
    public let url: URL

    private let listener: any Channel
    private let host: String
    private let heldPort = Locked<HeldPort?>(nil)
    private let connections: ConnectionRegistry
    private let state: Locked<State>

    /// The greatest number of requests in ``log``.
    static let loggedRequests = 10_000

    private struct State: Sendable {
        var log = Recent<LogEntry>(LocalHTTPServer.loggedRequests)
        var faults = FaultPlan()
        var standingFaults = StandingFaults()
        var dashboard: String?
    }

    private init(
        listener: any Channel, host: String, url: URL, connections: ConnectionRegistry, state: Locked<State>
    ) {
        (self.listener, self.host, self.url) = (listener, host, url)
        self.connections = connections
        self.state = state
    }

    /// Starts a server on 127.0.0.1. Starts run one after another. While this process has several hundred files open, each
    /// start waits up to a second until other servers have stopped.
    /// - Parameters:
    ///   - port: 0 for an ephemeral port.
    ///   - maximumBodySize: in bytes; the response to a larger request body is 413.
    ///   - time: the clock for ``LogEntry/date`` and for the delay of ``standingFaults``.
    ///   - handler: responds to the requests.
    /// - Throws: ``PortInUseError``, `CancellationError`, or another error of binding the port.
    public static func start(
        port: Int = 0, maximumBodySize: Int = 1 << 20, time: TimeSource = .system, handler: @escaping Handler
    ) async throws -> LocalHTTPServer {
        try await start(host: "127.0.0.1", port: port, maximumBodySize: maximumBodySize, time: time, handler: handler)
    }

    /// Starts a server on any address of this machine. The other parameters are those of
    /// ``start(port:maximumBodySize:time:handler:)``.
    /// - Parameter host: the address, such as `127.0.0.1` or `::1`.
    /// - Throws: ``PortInUseError``, `CancellationError`, or another error of binding the port.
    package static func start(
        host: String, port: Int = 0, maximumBodySize: Int = 1 << 20, time: TimeSource = .system,
        handler: @escaping Handler
    ) async throws -> LocalHTTPServer {
        let connections = ConnectionRegistry()
        let state = Locked(State())
        let handling: @Sendable (LocalRequest) async -> Outcome = { request in
            await handle(request, by: handler, state: state, time: time)
        }
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    connections.add(channel)
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(
                        RequestHandler(maximumBodySize: maximumBodySize, handling: handling))
                }
            }
        let listener: any Channel
        do {
            listener = try await StartQueue.shared.run { try await bootstrap.bind(host: host, port: port).get() }
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw PortInUseError(port: port)
        }
        let name = host.contains(":") ? "[\(host)]" : host
        guard let boundPort = listener.localAddress?.port, let url = URL(string: "http://\(name):\(boundPort)") else {
            try? await listener.close()
            throw ChannelError.unknownLocalAddress
        }
        return LocalHTTPServer(listener: listener, host: host, url: url, connections: connections, state: state)
    }

    /// Stops listening and closes every connection. The port stays reserved as long as this value exists.
    public func stop() async {
        try? await listener.close()
        if let port = url.port, let held = HeldPort(host: host, port: port) { heldPort.withLock { $0 = held } }
        await connections.closeAll()
    }

    /// Sets the address of the dashboard. The server's pages link to this address.
    func setDashboard(_ address: String) { state.withLock { $0.dashboard = address } }

    /// The last 10,000 handled requests, oldest first. Requests that are malformed or have too large a body are not
    /// recorded.
    public var log: [LogEntry] { state.withLock { $0.log.values } }

    /// The number of connections since the server's start.
    package var connectionCount: Int { connections.count.withLock { $0 } }

    /// Makes the next `times` requests whose path begins with `pathPrefix` fail with `fault`. If several faults match a
    /// request, only the one planned first applies to it.
    public func fail(_ fault: Fault, pathPrefix: String = "/", times: Int = 1) {
        state.withLock { $0.faults.add(fault, pathPrefix: pathPrefix, times: times) }
    }

    /// The faults of every response from now on. If ``fail(_:pathPrefix:times:)`` has planned a fault for a request, that
    /// fault applies instead of ``StandingFaults/failure``.
    public var standingFaults: StandingFaults {
        get { state.withLock { $0.standingFaults } }
        set { state.withLock { $0.standingFaults = newValue } }
    }

    /// Changes ``standingFaults`` atomically, so that no concurrent change is lost.
    func changeStandingFaults(_ change: (inout StandingFaults) -> Void) {
        state.withLock { change(&$0.standingFaults) }
    }

    /// Removes the faults of ``fail(_:pathPrefix:times:)`` that have not been applied yet. The ``standingFaults`` stay.
    public func clearFaults() { state.withLock { $0.faults.removeAll() } }

    /// The first 2 KB of a path.
    private static func shortened(_ path: String) -> String {
        path.utf8.count > 2048 ? String(decoding: path.utf8.prefix(2048), as: UTF8.self) : path
    }

    /// Responds to a request, subject to the planned and the standing faults, and adds the request to the log.
    private static func handle(
        _ request: LocalRequest, by handler: Handler, state: Locked<State>, time: TimeSource
    ) async -> Outcome {
        let (arrival, begin) = (time.now, ContinuousClock.now)
        var request = request
        request.dashboard = state.withLock { $0.dashboard }
        let (fault, standing) = state.withLock { ($0.faults.take(for: request.path), $0.standingFaults) }
        if let delay = standing.delay { try? await time.sleep(for: delay) }
        var outcome = await outcome(of: request, handler: handler, fault: fault ?? standing.fault)
        if standing.omitsDate { outcome = outcome.without(header: "Date") }
        // With a fault, the client may not get the handler's response, so the log does not state that response's
        // reason.
        let isFaulty = fault != nil || standing.fault != nil
        let entry = LogEntry(
            method: request.method, path: shortened(request.path), status: outcome.status, date: arrival,
            duration: ContinuousClock.now - begin, reason: isFaulty ? "a fault that was set" : outcome.reason)
        state.withLock { $0.log.append(entry) }
        return outcome
    }

    private static func outcome(of request: LocalRequest, handler: Handler, fault: Fault?) async -> Outcome {
        switch fault {
        case .answer(let response):
            return .answer(response)
        case .hang:
            return .hang
        case nil:
            return .answer(await handler(request))
        case .answerAfterActing(let response):
            _ = await handler(request)
            return .answer(response)
        case .dropAnswer:
            _ = await handler(request)
            return .close
        case .holdAnswer(let gate):
            let answer = await handler(request)
            await gate.hold()
            return .answer(answer)
        case .truncateAnswer:
            return .truncate(await handler(request))
        }
    }
}

/// The port is in use, by another program or by another server of this process.
public struct PortInUseError: StatedFailure, Equatable {
    public let port: Int

    package var facts: FailureFacts {
        .definitive(
            "port_in_use",
            "Port \(port) is in use. End the program or the server that uses it, or choose another port.")
    }
}

extension StandingFaults {
    fileprivate var fault: Fault? { failure.map { .answer(.text("The server is set to fail.\n", status: $0)) } }
}

enum Outcome: Sendable {
    case answer(LocalResponse)
    case truncate(LocalResponse)
    case close
    case hang

    var status: Int {
        switch self {
        case .answer(let response), .truncate(let response): response.status
        case .close, .hang: 0
        }
    }

    var reason: String? {
        switch self {
        case .answer(let response), .truncate(let response): RefusalReason.text(of: response)
        case .close: "the connection was closed without a response"
        case .hang: "no response was sent"
        }
    }

    func without(header name: String) -> Outcome {
        func stripped(_ response: LocalResponse) -> LocalResponse {
            var response = response
            response.headers.removeAll { $0.name.caseInsensitiveCompare(name) == .orderedSame }
            return response
        }
        return switch self {
        case .answer(let response): .answer(stripped(response))
        case .truncate(let response): .truncate(stripped(response))
        case .close, .hang: self
        }
    }
}
