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

/// Tokens that are revoked together with the others of their sign-in.
protocol RevocableTokens: Sendable {
    /// Revokes the tokens of one sign-in; false when they were revoked before.
    func revokeFamily(_ id: String) -> Bool

    /// Revokes the tokens of every sign-in, or of those of one user, and returns how many sign-ins that were.
    func revokeFamilies(ofUser userID: String?) -> Int
}

/// What a server counts about revocations.
protocol RevocationCounters: Sendable {
    var replays: Int { get set }
    var familiesRevoked: Int { get set }
}

/// A backend whose tokens can be revoked.
protocol RevokingBackend: ServerBackend {
    associatedtype Counters: RevocationCounters

    var counters: Locked<Counters> { get }
    var revocable: any RevocableTokens { get }
    var revokesFamilyOnReplay: Bool { get }
    var journal: TokenJournal { get }
    var time: TimeSource { get }

    /// The client and the user of a sign-in, as far as they are known.
    func owner(ofFamily id: String) -> (client: String, person: String)?
}

extension RevokingBackend {
    /// Revokes the tokens of one sign-in and counts that, once.
    /// - Parameter reason: why, for the journal.
    func revokeFamily(_ id: String, because reason: String) {
        guard revocable.revokeFamily(id) else { return }
        counters.withLock { $0.familiesRevoked += 1 }
        note(.revoked, family: id, because: reason)
    }

    private func note(_ kind: LocalServerReport.TokenEvent.Kind, family id: String, because reason: String) {
        let owner = owner(ofFamily: id)
        journal.note(kind, at: time.now, client: owner?.client, person: owner?.person, reason: reason)
    }

    /// Revokes the tokens of every sign-in, or of those of one user.
    func revokeFamilies(ofUser userID: String? = nil) {
        let revoked = revocable.revokeFamilies(ofUser: userID)
        counters.withLock { $0.familiesRevoked += revoked }
        guard revoked > 0 else { return }
        journal.note(
            .revoked, at: time.now, person: userID,
            reason: "everything of \(revoked == 1 ? "one sign-in" : "\(revoked) sign-ins") was revoked at the server")
    }

    /// Handles a spent code or refresh token that was sent again: it may be stolen (RFC 9700 section 4.14.2).
    func noteReplay(ofFamily id: String) {
        counters.withLock { $0.replays += 1 }
        note(.replayed, family: id, because: "a code or refresh token was used a second time")
        if revokesFamilyOnReplay { revokeFamily(id, because: "a spent code or refresh token was used again") }
    }
}
