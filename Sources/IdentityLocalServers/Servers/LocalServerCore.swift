import Foundation
import IdentityKit

/// The parts that every local server has: the listener, the backend with its clock, and the keeper, which saves the state of
/// the backend.
public final class LocalServerCore<Backend: LocalServerBackend>: Sendable {
    let http: LocalHTTPServer
    let configuration: Backend.Configuration
    let clock: ServerClock
    private let keeper: StateKeeper
    private let current: Locked<Backend>

    private init(
        http: LocalHTTPServer, configuration: Backend.Configuration, clock: ServerClock, keeper: StateKeeper,
        current: Locked<Backend>
    ) {
        (self.http, self.configuration, self.clock) = (http, configuration, clock)
        (self.keeper, self.current) = (keeper, current)
    }

    /// Starts a server with the state that an earlier server left in `storage`, if there is any.
    static func start(
        port: Int, configuration: Backend.Configuration, storage: ServerStorage?, time: TimeSource
    ) async throws -> LocalServerCore {
        let saved = try storage?.state(Backend.State.self)
        // The backend needs the server's address with the port, which is known only after the server listens. Until the
        // backend exists, `site` is `nil`.
        let site = Locked<(keeper: StateKeeper, current: Locked<Backend>)?>(nil)
        let http = try await LocalHTTPServer.start(port: port) { request in
            guard let site = site.withLock({ $0 }) else { return .text("The server is starting.\n", status: 503) }
            let backend = site.current.withLock { $0 }
            guard request.isMeant(for: backend.publicAddress) else {
                return .text("This address leads nowhere.\n", status: 421)
            }
            return site.keeper.keeping(backend.response(to: request))
        }
        do {
            let clock = ServerClock(time)
            let backend = try storage.naming {
                try Backend(
                    configuration: configuration, origin: http.url.absoluteString, restoring: saved,
                    time: clock.timeSource)
            }
            let current = Locked(backend)
            let keeper = StateKeeper(storage) { try current.withLock { $0 }.state() }
            try keeper.save()
            site.withLock { $0 = (keeper, current) }
            return LocalServerCore(
                http: http, configuration: configuration, clock: clock, keeper: keeper, current: current)
        } catch {
            await http.stop()
            throw error
        }
    }

    var backend: Backend { current.withLock { $0 } }

    /// Returns the current state in the encoding of a saved state, for ``restart(from:)``.
    func copy() throws -> Data { try SavedDocument.encode(backend.state()) }

    /// Replaces the backend by a new one at the same address, as a restart does.
    /// - Parameter copy: the saved state that the new backend restores; `nil` to lose all state.
    func restart(from copy: Data?) throws {
        let saved = try copy.map { try SavedDocument.decode(Backend.State.self, from: $0, name: "The copy") }
        let backend = try Backend(
            configuration: configuration, origin: http.url.absoluteString, restoring: saved, time: clock.timeSource)
        current.withLock { $0 = backend }
        try keeper.save()
    }

    /// Calls `body` to change the backend, and saves the state.
    func change(_ body: (Backend) throws -> Void) throws {
        try body(backend)
        try keeper.save()
    }

    /// Calls `body` to change the backend, and saves the state. If saving fails, the next request tries again.
    func changeNow(_ body: (Backend) -> Void) {
        body(backend)
        try? keeper.save()
    }
}
