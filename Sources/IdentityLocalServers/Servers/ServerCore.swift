import Foundation
import IdentityKit

/// What the endpoints of a server act on.
protocol ServerBackend: Sendable {
    /// What a restart must not lose.
    associatedtype State: Codable & Sendable

    /// - Throws: when the system does not return a private key.
    func state() throws -> State

    /// The address at which clients find the server, which may be a proxy's.
    var publicAddress: String { get }
    /// The name of the server on its pages.
    var site: String { get }
    /// The path of the document that describes the server to programs, below its address.
    var discoveryPath: String { get }
    /// The clients that its pages list; `nil` for a server without clients.
    var shownClients: [any EditableClient]? { get }
    var report: LocalServerReport { get }

    func response(to request: LocalRequest) -> LocalResponse
}

/// What every local server consists of: the listener, the backend, and what saves the backend's state.
final class ServerCore<Backend: ServerBackend>: Sendable {
    let http: LocalHTTPServer
    private let keeper: StateKeeper
    private let current: Locked<Backend>
    private let make: @Sendable (_ saved: Backend.State?) throws -> Backend

    private init(
        http: LocalHTTPServer, keeper: StateKeeper, current: Locked<Backend>,
        make: @escaping @Sendable (_ saved: Backend.State?) throws -> Backend
    ) {
        (self.http, self.keeper, self.current, self.make) = (http, keeper, current, make)
    }

    /// Starts a server, which continues where an earlier one with the same storage stopped.
    /// - Parameter make: makes the backend from the saved state and from scheme, host and port of the server.
    static func start(
        port: Int, storage: ServerStorage?,
        make: @escaping @Sendable (_ saved: Backend.State?, _ origin: String) throws -> Backend
    ) async throws -> ServerCore {
        let saved = try storage?.state(Backend.State.self)
        // The addresses of a server contain its port, which is known only once it listens.
        let site = Locked<(keeper: StateKeeper, current: Locked<Backend>)?>(nil)
        let http = try await LocalHTTPServer.start(port: port) { request in
            guard let site = site.withLock({ $0 }) else { return .text("The server is starting.\n", status: 503) }
            let backend = site.current.withLock { $0 }
            guard request.isMeant(for: backend.publicAddress) else {
                return .text("This address leads nowhere.\n", status: 421)
            }
            if let page = backend.frontPage(for: request) { return page }
            return site.keeper.keeping(backend.response(to: request))
        }
        do {
            let origin = http.url.absoluteString
            let current = Locked(try storage.naming { try make(saved, origin) })
            let keeper = StateKeeper(storage) { try current.withLock { $0 }.state() }
            try keeper.save()
            site.withLock { $0 = (keeper, current) }
            return ServerCore(http: http, keeper: keeper, current: current) { try make($0, origin) }
        } catch {
            await http.stop()
            throw error
        }
    }

    var backend: Backend { current.withLock { $0 } }

    /// Replaces everything that the endpoints act on.
    func reset(to backend: Backend) throws {
        current.withLock { $0 = backend }
        try keeper.save()
    }

    /// What a restart would continue with.
    func copy() throws -> Data { try SavedDocument.encode(backend.state()) }

    /// Continues as after a restart, at the same address.
    /// - Parameter copy: what was saved; `nil` for a server that has lost everything.
    func restart(from copy: Data?) throws {
        try reset(to: make(copy.map { try SavedDocument.decode(Backend.State.self, from: $0, name: "The copy") }))
    }

    /// Changes the backend and saves its state.
    func change(_ body: (Backend) throws -> Void) throws {
        try body(backend)
        try keeper.save()
    }

    /// Changes the backend. A state that cannot be saved now is saved with the next response.
    func changeNow(_ body: (Backend) -> Void) {
        body(backend)
        try? keeper.save()
    }
}
