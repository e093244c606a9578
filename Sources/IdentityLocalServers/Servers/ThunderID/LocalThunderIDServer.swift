import Foundation
import IdentityKit
import IdentityTesting

/// A local ThunderID server: sign-in flows, OAuth 2.0 and OpenID Connect, and the user's own record, over HTTP on
/// 127.0.0.1, with everything in memory.
///
/// It responds as the ThunderID wire contract says, so a client that works here works there; recorded sessions with a
/// real server are replayed against it. Flows are put together with ``Configuration/signIn`` and
/// ``Configuration/registration``; what the server sends to people is in ``messages``. Left out: the Console, encrypted
/// tokens and administration.
///
/// Two paths are not ThunderID's: `GET /api/resource` stands for an API that requires an access token, and
/// `GET /upstream/authorize` for another identity provider.
public final class LocalThunderIDServer: Sendable {
    let core: ServerCore<ThunderIDBackend>

    private init(_ core: ServerCore<ThunderIDBackend>) { self.core = core }

    private var backend: ThunderIDBackend { core.backend }

    var directory: ThunderIDUserDirectory { backend.users }

    /// Changes users, and may revoke all tokens of one.
    /// - Throws: when the state cannot be saved.
    func changeUsers(_ body: (ThunderIDUserDirectory, _ revoke: (String) -> Void) throws -> Void) throws {
        try core.change { backend in try body(backend.users) { backend.revokeFamilies(ofUser: $0) } }
    }

    var clients: ClientDirectory<Application> { backend.applications }

    func changeClients(_ body: (ClientDirectory<Application>) -> Void) throws {
        try core.change { body($0.applications) }
    }

    /// The HTTP server below: its request log, and faults to inject.
    public var http: LocalHTTPServer { core.http }

    /// The rules the server was started with.
    public var configuration: Configuration { backend.configuration }

    /// Starts a server.
    /// - Parameters:
    ///   - port: 0 for an ephemeral port.
    ///   - configuration: applications, users and rules.
    ///   - time: the clock that ages tokens, codes and flows.
    /// - Throws: when the port cannot be bound or no key can be made.
    public static func start(
        port: Int = 0, configuration: Configuration = Configuration(), time: TimeSource = .system
    ) async throws -> LocalThunderIDServer {
        try await start(port: port, configuration: configuration, storage: nil, time: time)
    }

    /// Starts a server that continues where an earlier one stopped.
    /// - Parameter storage: where users, keys, token families and sessions are kept. A user whose
    ///   configuration has changed since starts anew.
    /// - Throws: when the port cannot be bound, no key can be made, or what is kept cannot be used.
    package static func start(
        port: Int = 0, configuration: Configuration = Configuration(), storage: ServerStorage?,
        time: TimeSource = .system
    ) async throws -> LocalThunderIDServer {
        LocalThunderIDServer(
            try await ServerCore.start(port: port, storage: storage) { saved, origin in
                try ThunderIDBackend(configuration: configuration, origin: origin, restoring: saved, time: time)
            })
    }

    /// Starts a server whose tokens, codes and flows age with `clock`.
    /// - Throws: when the port cannot be bound or no key can be made.
    public static func start(
        configuration: Configuration = Configuration(), clock: ManualClock
    ) async throws -> LocalThunderIDServer {
        try await start(configuration: configuration, time: clock.timeSource)
    }

    /// Stops listening and closes every connection.
    public func stop() async { await http.stop() }

    /// Where the server listens: the base URL of every endpoint.
    public var url: URL { URL(string: backend.baseURL) ?? http.url }

    /// The `iss` of every token: ``url`` unless configured.
    public var issuer: String { backend.issuer }

    /// The first application.
    public var application: Application { configuration.application }

    /// The user that exists from the start.
    public var user: User { configuration.user }

    /// What has happened so far.
    public var counters: Counters { backend.counters.withLock { $0 } }

    /// The messages that were sent, oldest first: codes, magic links, invitations and recovery links.
    public var messages: [Message] { backend.outbox.messages }

    /// How many single sign-on sessions there are.
    public var sessionCount: Int { backend.sessions.count }

    /// An access token with the permissions of an administrator, for `USER_ONBOARDING`.
    /// - Throws: when it cannot be signed.
    public func administratorToken() throws -> Secret { Secret(try backend.tokens.administratorToken()) }

    /// Signs with a new key from now on. The old ones stay published, so earlier tokens still verify.
    /// - Throws: when no RSA key can be made.
    public func rotateSigningKey() throws { try core.change { try $0.keyRing.rotate() } }

    /// Revokes one token family, by its claim `tfid`.
    public func revokeFamily(_ id: String) {
        core.changeNow { $0.revokeFamily(id, because: "it was revoked at the server") }
    }

    /// Revokes every token family.
    public func revokeAllFamilies() { core.changeNow { $0.revokeFamilies() } }

    /// The users, flows, tokens without their values, and messages with their codes and links.
    public var report: LocalServerReport { backend.report }

    /// Revokes every token family of the user with this id, as an administrator can.
    public func revokeFamilies(ofUser userID: String) { core.changeNow { $0.revokeFamilies(ofUser: userID) } }

    /// Makes sign-in treat the user with this id as unknown, as any state but active does (ThunderID flow execution,
    /// failures inside the flow).
    public func deactivateUser(id: String) { core.changeNow { $0.users.setActive(false, ofUser: id) } }
}

extension LocalThunderIDServer {
    /// How often something happened since the start.
    public struct Counters: Sendable, Equatable, RevocationCounters {
        /// Authorization codes issued.
        public internal(set) var codesIssued = 0
        /// Refresh tokens exchanged, those inside the rotation grace included.
        public internal(set) var refreshes = 0
        /// Spent refresh tokens and codes that were presented again.
        public internal(set) var replays = 0
        /// Token families revoked, for whatever reason.
        public internal(set) var familiesRevoked = 0
    }
}
