import Foundation
import IdentityKit
import IdentityTesting

/// A local ThunderID server: sign-in flows, OAuth 2.0 and OpenID Connect, and the user's own record, over HTTP on
/// 127.0.0.1, with everything in memory.
///
/// It answers as the ThunderID wire contract says, so a client that works here works there; recorded sessions with a
/// real server are replayed against it. Flows are put together with ``Configuration/signIn`` and
/// ``Configuration/registration``; what the server sends to people is in ``messages``. Left out: the Console, encrypted
/// tokens and administration.
///
/// Two paths are not ThunderID's: `GET /api/resource` stands for an API that wants an access token, and
/// `GET /upstream/authorize` for another identity provider.
public final class LocalThunderIDServer: Sendable {
    /// The HTTP server below: its request log, and faults to inject.
    public let http: LocalHTTPServer
    /// The rules the server was started with.
    public let configuration: Configuration

    private let backend: ThunderIDBackend
    private let keeper: StateKeeper

    private init(http: LocalHTTPServer, backend: ThunderIDBackend, keeper: StateKeeper) {
        self.http = http
        self.backend = backend
        self.keeper = keeper
        configuration = backend.configuration
    }

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

    /// Starts a server that goes on where an earlier one has stopped.
    /// - Parameter storage: where users, keys, token families and sessions are kept. What the configuration says of a
    ///   user counts anew once it says something else.
    /// - Throws: when the port cannot be bound, no key can be made, or what is kept cannot be used.
    package static func start(
        port: Int = 0, configuration: Configuration = Configuration(), storage: ServerStorage?,
        time: TimeSource = .system
    ) async throws -> LocalThunderIDServer {
        let saved = try storage?.state(ThunderIDState.self)
        let keyRing = try storage.naming {
            try ThunderIDKeyRing(configuration.signingAlgorithm, restoring: saved?.keys, time: time)
        }
        // The issuer holds the port, which is known only once the server listens.
        let site = Locked<(backend: ThunderIDBackend, keeper: StateKeeper)?>(nil)
        let http = try await LocalHTTPServer.start(port: port) { request in
            guard let site = site.withLock({ $0 }) else {
                return .text("The server is starting.\n", status: 503)
            }
            return site.keeper.keeping(ThunderIDRouter(backend: site.backend).answer(request))
        }
        do {
            let backend = try storage.naming {
                try ThunderIDBackend(
                    configuration: configuration, baseURL: http.url.absoluteString + configuration.pathPrefix,
                    keyRing: keyRing, restoring: saved, time: time)
            }
            let keeper = StateKeeper(storage, state: backend.state)
            try keeper.save()
            site.withLock { $0 = (backend, keeper) }
            return LocalThunderIDServer(http: http, backend: backend, keeper: keeper)
        } catch {
            await http.stop()
            throw error
        }
    }

    /// Starts a server whose tokens, codes and flows age with `clock`.
    /// - Throws: when the port cannot be bound or no key can be made.
    public static func start(
        configuration: Configuration = Configuration(), clock: ManualClock
    ) async throws -> LocalThunderIDServer {
        try await start(configuration: configuration, time: clock.timeSource)
    }

    /// Stops listening and closes every connection.
    public func stop() async {
        await http.stop()
    }

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
    public func administratorToken() throws -> Secret {
        Secret(try backend.tokens.administratorToken())
    }

    /// Signs with a new key from now on. The old ones stay published, so earlier tokens still verify.
    /// - Throws: when no RSA key can be made.
    public func rotateSigningKey() throws {
        try backend.keyRing.rotate()
        try keeper.save()
    }

    /// Revokes one token family, by its claim `tfid`.
    public func revokeFamily(_ id: String) {
        backend.revokeFamily(id)
        try? keeper.save()
    }

    /// Revokes every token family.
    public func revokeAllFamilies() {
        let revoked = backend.families.revokeAll()
        backend.counters.withLock { $0.familiesRevoked += revoked }
        try? keeper.save()
    }

    /// What goes on: people, flows, tokens without their values, and messages with what they prove.
    public var report: LocalServerReport { backend.report }

    /// Revokes every token family of the user with this id, as an administrator can.
    public func revokeFamilies(ofUser userID: String) {
        let revoked = backend.families.revokeAll(ofUser: userID)
        backend.counters.withLock { $0.familiesRevoked += revoked }
        // Saved with the next answer at the latest.
        try? keeper.save()
    }

    /// Makes sign-in treat the user with this id as unknown, as any state but active does (ThunderID flow execution,
    /// failures inside the flow).
    public func deactivateUser(id: String) {
        backend.users.deactivate(id: id)
        try? keeper.save()
    }
}

extension LocalThunderIDServer {
    /// How often something happened since the start.
    public struct Counters: Sendable, Equatable {
        /// Authorization codes handed out.
        public internal(set) var codesIssued = 0
        /// Refresh tokens exchanged, those inside the rotation grace included.
        public internal(set) var refreshes = 0
        /// Spent refresh tokens and codes that were presented again.
        public internal(set) var replays = 0
        /// Token families revoked, for whatever reason.
        public internal(set) var familiesRevoked = 0
    }
}
