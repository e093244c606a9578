import Foundation
import IdentityKit
import IdentityTesting

/// A local server over HTTP on 127.0.0.1 with all data in memory: its start, observation and stop. The protocol's types
/// add the features of each server.
public protocol LocalServer<Backend>: Sendable {
    /// The backend that the endpoints act on.
    associatedtype Backend: LocalServerBackend

    /// The running parts of the server.
    var core: LocalServerCore<Backend> { get }

    /// Creates a server from its running parts, for ``start(port:configuration:time:)``.
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
    /// - Throws: if the port cannot be bound or a key cannot be made.
    public static func start(
        port: Int = 0, configuration: Backend.Configuration = Backend.Configuration(), time: TimeSource = .system
    ) async throws -> Self {
        try await start(port: port, configuration: configuration, storage: nil, time: time)
    }

    /// Starts a server whose tokens, codes, flows and sessions age with `clock`.
    /// - Throws: if the port cannot be bound or a key cannot be made.
    public static func start(
        configuration: Backend.Configuration = Backend.Configuration(), clock: ManualClock
    ) async throws -> Self {
        try await start(configuration: configuration, time: clock.timeSource)
    }

    /// Starts a server that continues where an earlier one stopped.
    /// - Parameter storage: the place of users, keys, tokens and sessions. Users and clients whose configuration has
    ///   changed since then are reset.
    /// - Throws: if the port cannot be bound, a key cannot be made, or the stored state is unusable.
    package static func start(
        port: Int = 0, configuration: Backend.Configuration = Backend.Configuration(), storage: ServerStorage?,
        time: TimeSource = .system
    ) async throws -> Self {
        Self(core: try await .start(port: port, configuration: configuration, storage: storage, time: time))
    }

    /// The HTTP server, with its request log and faults to inject.
    public var http: LocalHTTPServer { core.http }

    /// The address at which the server listens.
    public var url: URL { http.url }

    /// Stops listening and closes every connection.
    public func stop() async { await http.stop() }

    /// The configuration with which the server was started.
    public var configuration: Backend.Configuration { core.configuration }

    /// Counts of requests so far.
    public var counters: Backend.Counters { backend.counts }

    /// A report of users, flows, tokens without their values, and messages with their codes and links.
    public var report: LocalServerReport { backend.report }

    /// Advances the server's clock relative to the clock it was started with.
    public func advanceClock(by duration: Duration) { core.clock.advance(by: duration) }

    var backend: Backend { core.backend }
}

/// The state and rules behind the endpoints of a local server.
public protocol LocalServerBackend: Sendable {
    /// Clients, users and rules.
    associatedtype Configuration: LocalServerConfiguration
    /// Counts of the server's events.
    associatedtype Counters: Sendable
    /// The state that must survive a restart.
    associatedtype State: Codable & Sendable

    /// Creates the backend at the server's start.
    /// - Parameters:
    ///   - configuration: clients, users and rules.
    ///   - origin: scheme, host and port of the server.
    ///   - saved: the saved state of an earlier server.
    ///   - time: the clock.
    /// - Throws: if a saved key is malformed, or a key cannot be made.
    init(configuration: Configuration, origin: String, restoring saved: State?, time: TimeSource) throws

    /// The state to save for the next start.
    /// - Throws: if the system does not return a private key.
    func state() throws -> State

    /// The address at which clients find the server, which may be a proxy's.
    var publicAddress: String { get }

    /// Counts of requests so far.
    var counts: Counters { get }

    /// A report of users, flows, tokens without their values, and messages with their codes and links.
    var report: LocalServerReport { get }

    /// The response to a request, after acting on it.
    func response(to request: LocalRequest) -> LocalResponse
}

/// Data and behaviour of a local server. Every value has a default.
public protocol LocalServerConfiguration: Sendable {
    init()
}

extension LocalServerConfiguration {
    /// Creates the default configuration, modified by `change`.
    public init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}
