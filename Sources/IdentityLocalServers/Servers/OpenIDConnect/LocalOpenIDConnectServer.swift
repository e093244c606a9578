import Foundation
import IdentityKit
import IdentityTesting

/// A local OpenID Connect server over HTTP on 127.0.0.1, with everything in memory: discovery, authorization with a
/// sign-in and a consent page, every grant a client here uses, user info and sign-out.
///
/// It conforms to the specifications until ``misbehave(_:)`` makes it break one rule, or ``vary(_:)`` makes it differ as
/// servers in the field do. `GET /api/resource` stands for an API that requires an access token.
public final class LocalOpenIDConnectServer: Sendable {
    let core: ServerCore<OpenIDBackend>

    private init(_ core: ServerCore<OpenIDBackend>) { self.core = core }

    private var backend: OpenIDBackend { core.backend }

    /// The HTTP server below: its request log, and faults to inject.
    public var http: LocalHTTPServer { core.http }

    /// Starts a server.
    /// - Parameters:
    ///   - port: 0 for an ephemeral port.
    ///   - configuration: clients, users and rules.
    ///   - time: the clock that ages tokens, codes and sessions.
    /// - Throws: when the port cannot be bound or no key can be made.
    public static func start(
        port: Int = 0, configuration: Configuration = Configuration(), time: TimeSource = .system
    ) async throws -> LocalOpenIDConnectServer {
        try await start(port: port, configuration: configuration, storage: nil, time: time)
    }

    /// Starts a server that continues where an earlier one stopped.
    /// - Parameter storage: where keys, tokens and sessions are kept.
    /// - Throws: when the port cannot be bound, no key can be made, or what is kept cannot be used.
    package static func start(
        port: Int = 0, configuration: Configuration = Configuration(), storage: ServerStorage?,
        time: TimeSource = .system
    ) async throws -> LocalOpenIDConnectServer {
        LocalOpenIDConnectServer(
            try await ServerCore.start(port: port, storage: storage) { saved, origin in
                try OpenIDBackend(configuration: configuration, origin: origin, restoring: saved, time: time)
            })
    }

    /// Starts a server whose tokens, codes and sessions age with `clock`.
    /// - Throws: when the port cannot be bound or no key can be made.
    public static func start(
        configuration: Configuration = Configuration(), clock: ManualClock
    ) async throws -> LocalOpenIDConnectServer {
        try await start(configuration: configuration, time: clock.timeSource)
    }

    /// Stops listening and closes every connection.
    public func stop() async { await http.stop() }

    /// Where the server listens, without ``Configuration/path``.
    public var url: URL { http.url }

    /// The issuer identifier, exactly as in tokens and discovery.
    public var issuer: String { backend.issuer }

    /// The rules the server was started with.
    public var configuration: Configuration { backend.configuration }

    /// The first client.
    public var client: Client { configuration.clients.first ?? .publicApp }

    /// The first user.
    public var user: User { configuration.users.first ?? User() }

    /// The nonce a DPoP proof should carry now (RFC 9449 section 8).
    public var dpopNonce: String { backend.dpop.currentNonce() }

    /// What has happened so far.
    public var counters: Counters { backend.counters.withLock { $0 } }

    /// Breaks one more rule from now on.
    public func misbehave(_ misbehaviour: Misbehaviour) {
        backend.behaviour.withLock { _ = $0.misbehaviours.insert(misbehaviour) }
    }

    /// Breaks one more rule of the protected resource from now on.
    public func misbehave(_ misbehaviour: ResourceMisbehaviour) {
        backend.behaviour.withLock { _ = $0.resource.insert(misbehaviour) }
    }

    /// Breaks one more rule of a server with many tenants from now on.
    public func misbehave(_ misbehaviour: TenantMisbehaviour) {
        backend.behaviour.withLock { _ = $0.tenants.insert(misbehaviour) }
    }

    /// Makes token responses odd in one more way from now on.
    public func misbehave(_ fault: TokenFault) { backend.behaviour.withLock { _ = $0.tokenFaults.insert(fault) } }

    /// The protected resource that describes itself (RFC 9728). Reading it needs the scope `read`, writing it `write`, and
    /// `private` below it a recent sign-in.
    public var resource: URL { http.url.appendingPathComponent("api/notes") }

    /// Differs in one more way from now on.
    public func vary(_ variation: Variation) { backend.behaviour.withLock { _ = $0.variations.insert(variation) } }

    /// Conforms again.
    public func behave() { backend.behaviour.withLock { $0 = OpenIDBehaviour() } }

    /// Signs with a new key from now on (OpenID Connect Core section 10.1.1).
    /// - Parameter withdrawing: whether the earlier keys leave the set, so that earlier tokens stop verifying.
    /// - Throws: when no key can be made.
    public func rotateSigningKey(withdrawing: Bool = false) throws {
        try core.change { try $0.keyRing.rotate(withdrawing: withdrawing) }
    }

    /// Revokes everything of one sign-in. The families are in ``report``.
    public func revokeFamily(_ id: String) {
        core.changeNow { $0.revokeFamily(id, because: "it was revoked at the server") }
    }

    /// Revokes everything of every sign-in.
    public func revokeAllFamilies() { core.changeNow { $0.revokeFamilies() } }

    var directory: OpenIDUserDirectory { backend.users }

    var clients: ClientDirectory<Client> { backend.clients }

    /// Adds or changes a user. The tokens and sessions of one who is disabled end.
    /// - Returns: false when another user has the user name.
    /// - Throws: when the state cannot be saved.
    func put(_ record: OpenIDUserDirectory.Record) throws -> Bool {
        var isDone = false
        try core.change { backend in
            isDone = backend.users.put(record)
            if isDone, !record.isActive { backend.endEverything(ofUser: record.user.id) }
        }
        return isDone
    }

    /// Removes a user, with all tokens and sessions.
    /// - Throws: when the state cannot be saved.
    func removeUser(_ id: String) throws {
        try core.change { backend in
            backend.endEverything(ofUser: id)
            backend.users.remove(id)
        }
    }

    func changeClients(_ body: (ClientDirectory<Client>) -> Void) throws { try core.change { body($0.clients) } }

    /// The users, flows, and tokens without their values.
    public var report: LocalServerReport { backend.report }

    /// Revokes everything the user with this subject identifier has, as an administrator can.
    public func revokeTokens(ofUser userID: String) { core.changeNow { $0.revokeFamilies(ofUser: userID) } }

    /// Forgets every client that registered itself, as a server does that is restarted without its memory.
    public func forgetRegisteredClients() { core.changeNow { $0.registrations.removeAll() } }

    /// How many clients are registered that registered themselves.
    public var registeredClients: Int { backend.registrations.count }
}

extension LocalOpenIDConnectServer {
    /// How often something happened since the start.
    public struct Counters: Sendable, Equatable, RevocationCounters {
        /// Passwords accepted at the sign-in page.
        public internal(set) var signIns = 0
        /// Authorization codes issued.
        public internal(set) var codesIssued = 0
        /// Refresh tokens exchanged, those inside the rotation grace included.
        public internal(set) var refreshes = 0
        /// Spent refresh tokens and codes that were presented again.
        public internal(set) var replays = 0
        /// Sign-ins whose tokens were revoked, for whatever reason.
        public internal(set) var familiesRevoked = 0
        /// Polls of devices that were too fast.
        public internal(set) var slowDowns = 0
        /// Sign-outs.
        public internal(set) var signOuts = 0
        /// Clients that registered themselves.
        public internal(set) var registrations = 0
    }
}
