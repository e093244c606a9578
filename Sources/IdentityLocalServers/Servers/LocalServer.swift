import Foundation
import IdentityKit
import IdentityTesting

/// A local server over HTTP on 127.0.0.1, with everything in memory: how it is started, observed and stopped. Each of the
/// servers adds what is its own.
public protocol LocalServer<Backend>: Sendable {
    /// The backend that the endpoints act on.
    associatedtype Backend: LocalServerBackend

    /// The running parts of the server.
    var core: LocalServerCore<Backend> { get }

    /// Makes the server of what runs, for ``start(port:configuration:time:)``.
    init(core: LocalServerCore<Backend>)

    /// The address at which the server listens.
    var url: URL { get }

    /// Stops listening and closes every connection.
    func stop() async
}

extension LocalServer {
    /// Starts a server.
    /// - Parameters:
    ///   - port: 0 for an ephemeral port.
    ///   - configuration: clients, users and rules.
    ///   - time: the clock that ages tokens, codes, flows and sessions.
    /// - Throws: when the port cannot be bound or no key can be made.
    public static func start(
        port: Int = 0, configuration: Backend.Configuration = Backend.Configuration(), time: TimeSource = .system
    ) async throws -> Self {
        try await start(port: port, configuration: configuration, storage: nil, time: time)
    }

    /// Starts a server whose tokens, codes, flows and sessions age with `clock`.
    /// - Throws: when the port cannot be bound or no key can be made.
    public static func start(
        configuration: Backend.Configuration = Backend.Configuration(), clock: ManualClock
    ) async throws -> Self {
        try await start(configuration: configuration, time: clock.timeSource)
    }

    /// Starts a server that continues where an earlier one stopped.
    /// - Parameter storage: where users, keys, tokens and sessions are kept. What has changed in the configuration since
    ///   starts anew.
    /// - Throws: when the port cannot be bound, no key can be made, or what is kept cannot be used.
    package static func start(
        port: Int = 0, configuration: Backend.Configuration = Backend.Configuration(), storage: ServerStorage?,
        time: TimeSource = .system
    ) async throws -> Self {
        Self(core: try await .start(port: port, configuration: configuration, storage: storage, time: time))
    }

    /// The HTTP server below: its request log, and faults to inject.
    public var http: LocalHTTPServer { core.http }

    /// The address at which the server listens.
    public var url: URL { http.url }

    /// Stops listening and closes every connection.
    public func stop() async { await http.stop() }

    /// The rules the server was started with.
    public var configuration: Backend.Configuration { core.configuration }

    /// Counts of requests so far.
    public var counters: Backend.Counters { backend.counts }

    /// The users, flows, tokens without their values, and messages with their codes and links.
    public var report: LocalServerReport { backend.report }

    /// Sets the server's clock forward, beyond the clock it was started with.
    public func advanceClock(by duration: Duration) { core.clock.advance(by: duration) }

    var backend: Backend { core.backend }
}

/// The state and rules that the endpoints of a local server act on.
public protocol LocalServerBackend: Sendable {
    /// Clients, users and rules.
    associatedtype Configuration: LocalServerConfiguration
    /// How often something happened.
    associatedtype Counters: Sendable
    /// The state that a restart must not lose.
    associatedtype State: Codable & Sendable

    /// Makes what a server acts on from its start.
    /// - Parameters:
    ///   - configuration: clients, users and rules.
    ///   - origin: scheme, host and port of the server.
    ///   - saved: what an earlier one had.
    ///   - time: the clock.
    /// - Throws: when a saved key is malformed, or no key can be made.
    init(configuration: Configuration, origin: String, restoring saved: State?, time: TimeSource) throws

    /// The state with which a restart continues.
    /// - Throws: when the system does not return a private key.
    func state() throws -> State

    /// The address at which clients find the server, which may be a proxy's.
    var publicAddress: String { get }

    /// Counts of requests so far.
    var counts: Counters { get }

    /// The users, flows, tokens without their values, and messages with their codes and links.
    var report: LocalServerReport { get }

    /// Does what a request asks for.
    func response(to request: LocalRequest) -> LocalResponse
}

/// Data and behaviour of a local server. Every value has a default.
public protocol LocalServerConfiguration: Sendable {
    init()
}

extension LocalServerConfiguration {
    /// The defaults, with what `change` changes.
    public init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}
