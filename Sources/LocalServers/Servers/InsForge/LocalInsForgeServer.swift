import Foundation
import IdentityKit

/// A local InsForge backend: the authentication API of a real one over HTTP on 127.0.0.1, with everything in memory.
///
/// It answers as the InsForge wire contract says, down to error texts, rate limits and cookie attributes, so a client that
/// works here works there. Left out: the shared OAuth callback, sign-in through InsForge's cloud, and the dashboard's
/// administration of users, mail and settings.
///
/// Two paths are not InsForge's: `/fake-provider/authorize`, where OAuth sign-ins end up instead of at Google, and
/// `GET /api/demo/resource`, which stands for an API that wants a signed-in user. What steers the server from another
/// process is on a port of its own: ``controlURL``.
public final class LocalInsForgeServer: Sendable {
    /// The HTTP server below: its request log, and faults to inject.
    public let http: LocalHTTPServer
    /// The user that exists from the start.
    public let user: User
    /// The project's API key, which may do everything.
    public let apiKey: String

    private let configuration: Configuration
    private let clock: ServerClock
    private let current: Locked<InsForgeBackend>
    private let control = Locked<LocalHTTPServer?>(nil)
    private let keeper: StateKeeper

    var backend: InsForgeBackend { current.withLock { $0 } }

    private init(
        http: LocalHTTPServer, backend: Locked<InsForgeBackend>, keeper: StateKeeper, configuration: Configuration,
        clock: ServerClock
    ) {
        self.keeper = keeper
        self.http = http
        self.configuration = configuration
        self.clock = clock
        current = backend
        user = configuration.user
        apiKey = configuration.apiKey
    }

    /// Starts a server.
    /// - Parameters:
    ///   - port: 0 for an ephemeral port.
    ///   - controlPort: where the server can be steered from outside, 0 for an ephemeral port; `nil` for nowhere.
    ///   - configuration: users, keys and rules of the project.
    ///   - time: the clock that ages tokens and codes.
    /// - Throws: when a port cannot be bound or no RSA key can be made.
    public static func start(
        port: Int = 0, controlPort: Int? = nil, configuration: Configuration = Configuration(),
        time: TimeSource = .system
    ) async throws -> LocalInsForgeServer {
        try await start(
            port: port, controlPort: controlPort, configuration: configuration, storage: nil, time: time)
    }

    /// Starts a server that goes on where an earlier one has stopped.
    /// - Parameter storage: where users, keys and sessions are kept. What the configuration says of a user, or as the
    ///   anonymous key, counts anew once it says something else.
    /// - Throws: when a port cannot be bound, no RSA key can be made, or what is kept cannot be used.
    package static func start(
        port: Int = 0, controlPort: Int? = nil, configuration: Configuration = Configuration(),
        storage: ServerStorage?, time: TimeSource = .system
    ) async throws -> LocalInsForgeServer {
        let clock = ServerClock(time)
        let saved = try storage?.state(InsForgeState.self)
        let backend = Locked(
            try storage.naming {
                try InsForgeBackend(configuration: configuration, restoring: saved, time: clock.timeSource)
            })
        let keeper = StateKeeper(storage) { try backend.withLock { $0 }.state() }
        try keeper.save()
        let http = try await LocalHTTPServer.start(port: port) { request in
            keeper.keeping(InsForgeRouter(backend: backend.withLock { $0 }).answer(request))
        }
        backend.withLock { backend in backend.origin.withLock { $0 = http.url.absoluteString } }
        let server = LocalInsForgeServer(
            http: http, backend: backend, keeper: keeper, configuration: configuration, clock: clock)
        if let controlPort { try await server.openControl(on: controlPort) }
        return server
    }

    private func openControl(on port: Int) async throws {
        do {
            let opened = try await LocalHTTPServer.start(port: port) { [weak self] request in
                guard let self else { return .text("The server is gone.\n", status: 503) }
                return InsForgeControl(server: self).answer(request)
            }
            control.withLock { $0 = opened }
        } catch {
            await http.stop()
            throw error
        }
    }

    /// Where the server listens: the base URL of the project.
    public var url: URL { http.url }

    /// Where it can be steered from outside; `nil` when it was started without.
    public var controlURL: URL? { control.withLock { $0?.url } }

    /// The project's anonymous key, which sign-up requires.
    public var anonKey: String { backend.anonKeys.current }

    /// What was mailed, oldest first.
    public var outbox: [Mail] { backend.mailer.outbox }

    /// How often each kind of sign-in succeeded.
    public var counters: Counters { backend.counters.withLock { $0 } }

    /// Every token that was handed out, oldest first.
    public var issuedTokens: [IssuedToken] { backend.tokens.issuedTokens }

    /// Changes the rules of the running project. What is read only at the start stays: users, keys, the administrator,
    /// the algorithm, the providers.
    public func reconfigure(_ change: (inout Configuration) -> Void) {
        backend.configuration.withLock { change(&$0) }
    }

    /// Sets the server's clock forward, beyond the clock it was started with.
    public func advanceClock(by duration: Duration) {
        clock.advance(by: duration)
    }

    /// Deletes a user, which is the only thing that ends a session on the server.
    public func deleteUser(id: String) {
        backend.users.remove(id: id)
        // Saved with the next answer at the latest.
        try? keeper.save()
    }

    /// Signs access tokens with a new key from now on. The old ones stay published, so earlier tokens still verify. A
    /// project that signs with its secret has no such key.
    /// - Throws: when no RSA key can be made.
    public func rotateSigningKey() throws {
        try backend.tokens.rotate()
        try keeper.save()
    }

    /// What goes on: people, tokens without their values, and mails with what they prove.
    public var report: LocalServerReport { backend.report }

    /// Makes everything as it was at the start: users, keys, rules, codes, mails, limits, faults and the clock. The
    /// signing keys are new, so every token of before is worthless.
    /// - Throws: when no RSA key can be made.
    public func reset() throws {
        clock.reset()
        http.clearFaults()
        let fresh = try InsForgeBackend(configuration: configuration, time: clock.timeSource)
        fresh.origin.withLock { $0 = http.url.absoluteString }
        current.withLock { $0 = fresh }
        try keeper.save()
    }

    /// Stops listening and closes every connection.
    public func stop() async {
        await control.withLock { $0 }?.stop()
        await http.stop()
    }
}

extension LocalInsForgeServer {
    /// A token that was handed out.
    public struct IssuedToken: Sendable, Equatable {
        /// What it is good for.
        public enum Kind: String, Sendable {
            /// To call an API.
            case access
            /// To get another pair.
            case refresh
        }

        /// What it is good for.
        public let kind: Kind
        /// Whose it is.
        public let subject: String
        /// When it was handed out.
        public let issuedAt: Date
        /// When it ends.
        public let expiresAt: Date
        /// The token.
        public let token: Secret
    }
}

extension LocalInsForgeServer {
    /// How often something succeeded; failed attempts are in the log of ``http``.
    public struct Counters: Sendable, Equatable {
        /// Refresh tokens exchanged by `POST /api/auth/refresh`.
        public internal(set) var refreshes = 0
        /// OAuth codes exchanged by `POST /api/auth/oauth/exchange`.
        public internal(set) var exchanges = 0
        /// Sessions opened by `POST /api/auth/sessions`, with a password or a mailed code.
        public internal(set) var signIns = 0
    }
}
