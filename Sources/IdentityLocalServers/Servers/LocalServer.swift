import Foundation
import IdentityKit
import IdentityTesting

/// A local server over HTTP on 127.0.0.1 with all data in memory.
///
/// The protocol starts, observes and stops a server. The types that conform add the features of each server.
public protocol LocalServer<Backend>: Sendable {
    /// The backend that the endpoints act on.
    associatedtype Backend: LocalServerBackend

    /// The listener, backend and clock of the running server.
    var core: LocalServerCore<Backend> { get }

    /// Creates a server from a running core. Tests and apps call ``start(port:configuration:time:)`` instead.
    init(core: LocalServerCore<Backend>)

    /// The address at which the server listens.
    var url: URL { get }

    /// Stops listening and closes every connection.
    func stop() async
}

extension LocalServer {
    /// Starts a server that keeps its state only in memory.
    /// - Parameters:
    ///   - port: 0 for an ephemeral port.
    ///   - configuration: clients, users and rules.
    ///   - time: the clock for the lifetimes of tokens, codes, flows and sessions.
    /// - Throws: ``PortInUseError`` if the port is in use, `CancellationError` if the task was cancelled, or an
    ///   error of binding the port or of making a key.
    public static func start(
        port: Int = 0, configuration: Backend.Configuration = Backend.Configuration(), time: TimeSource = .system
    ) async throws -> Self {
        try await start(port: port, configuration: configuration, storage: nil, time: time)
    }

    /// Starts a server on an ephemeral port. Tokens, codes, flows and sessions expire by the time of `clock`.
    /// - Throws: `CancellationError` if the task was cancelled, or an error of binding the port or of making a key.
    public static func start(
        configuration: Backend.Configuration = Backend.Configuration(), clock: ManualClock
    ) async throws -> Self {
        try await start(configuration: configuration, time: clock.timeSource)
    }

    /// Starts a server with the state that an earlier server left in `storage`, if there is any.
    /// - Parameter storage: the storage of users, keys, tokens and sessions; `nil` to keep them only in memory. A user
    ///   whose configuration changed since the last start is reset. A client that was changed while the server ran
    ///   keeps its changes.
    /// - Throws: ``SavedStateError`` if the stored state is unusable, ``PortInUseError`` if the port is in use,
    ///   `CancellationError` if the task was cancelled, or an error of binding the port, of making a key, or of saving
    ///   the state.
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

    /// Counts of events, such as refreshes, since the server's start or its last reset.
    public var counters: Backend.Counters { backend.counts }

    /// A report of users, flows, tokens without their values, and messages with their codes and links.
    public var report: LocalServerReport { backend.report }

    /// Moves the server's clock forward by `duration`. Several calls add up. The clock given at the start does not change.
    public func advanceClock(by duration: Duration) { core.clock.advance(by: duration) }

    var backend: Backend { core.backend }
}

/// The state and rules behind the endpoints of a local server.
public protocol LocalServerBackend: Sendable {
    /// The clients, users and rules with which a server starts.
    associatedtype Configuration: LocalServerConfiguration
    /// Counts of events, such as refreshes, since the server's start or its last reset.
    associatedtype Counters: Sendable
    /// The state that must survive a restart.
    associatedtype State: Codable & Sendable

    /// Creates the backend at the server's start.
    /// - Parameters:
    ///   - configuration: clients, users and rules.
    ///   - origin: scheme, host and port of the server.
    ///   - saved: the saved state of an earlier server; `nil` for a new server.
    ///   - time: the clock for the lifetimes of tokens, codes, flows and sessions.
    /// - Throws: if a saved key is malformed, or a key cannot be made.
    init(configuration: Configuration, origin: String, restoring saved: State?, time: TimeSource) throws

    /// The state to save for the next start.
    /// - Throws: if the cryptography library cannot export a private key.
    func state() throws -> State

    /// The address at which clients find the server, such as the address of a proxy. Requests whose `Host` names neither this
    /// host nor the local machine are refused with 421.
    var publicAddress: String { get }

    /// Counts of events, such as refreshes, since the server's start or its last reset.
    var counts: Counters { get }

    /// A report of users, flows, tokens without their values, and messages with their codes and links.
    var report: LocalServerReport { get }

    /// Handles a request and returns the response.
    func response(to request: LocalRequest) -> LocalResponse
}

/// The data and rules of a local server. Every value has a default.
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
