import Foundation
import IdentityKit

/// A local InsForge backend: the authentication API of a real one over HTTP on 127.0.0.1, with everything in memory.
///
/// Responses are those of `Documentation/Backends/InsForge.md`, down to error texts, rate limits and cookie attributes,
/// so a client that works here works with the real server. Not included: the shared OAuth callback, sign-in through
/// InsForge's cloud, and the dashboard's administration of users, mail and settings.
///
/// Three paths are not InsForge's: `/` is a page about the server for browsers, `/fake-provider/authorize` stands for
/// the page of Google or another provider, and `GET /api/demo/resource` stands for an API that requires a signed-in
/// user. Other processes can control the server on a separate port: ``controlURL``.
public final class LocalInsForgeServer: LocalServer {
    /// The parts that every local server has: the listener, the backend, the clock, and the saving of state.
    public let core: LocalServerCore<InsForgeBackend>
    private let control = Locked<LocalHTTPServer?>(nil)

    /// Creates a server from its running parts, which ``start(port:controlPort:configuration:time:)`` makes.
    public init(core: LocalServerCore<InsForgeBackend>) { self.core = core }

    /// Calls `body` with the users and the server's current time, and saves the changed state.
    /// - Throws: what `body` throws, or an error of saving the state.
    func changeUsers(_ body: (InsForgeUserDirectory, _ now: Date) throws -> Void) throws {
        try core.change { backend in try body(backend.users, backend.time.now) }
    }

    /// The initial user as configured at the server's start, without later changes.
    public var user: User { configuration.user }

    /// Whether ``user`` can sign in with the configured password. A saved state or a change since the start may prevent it.
    package var acceptsUser: Bool { (try? backend.user(email: user.email, password: user.password)) != nil }

    /// The project's API key as configured at the server's start, which authorizes sign-up and administration.
    public var apiKey: String { configuration.apiKey }

    /// Starts a server, optionally with a port for control by other processes.
    /// - Parameters:
    ///   - port: 0 for an ephemeral port.
    ///   - controlPort: the port for control, 0 for an ephemeral one; `nil` for none.
    ///   - configuration: the users, keys and rules of the project.
    ///   - time: the clock for the lifetimes of tokens and codes.
    /// - Throws: `PortInUseError` if a port is in use, `CancellationError` if the task was cancelled, or an error of
    ///   binding a port or of making an RSA key.
    public static func start(
        port: Int = 0, controlPort: Int?, configuration: Configuration = Configuration(), time: TimeSource = .system
    ) async throws -> LocalInsForgeServer {
        let server = try await start(port: port, configuration: configuration, time: time)
        do {
            if let controlPort { try await server.openControl(on: controlPort) }
            return server
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Opens the port for control by other processes.
    /// - Throws: `PortInUseError` if the port is in use, `CancellationError` if the task was cancelled, or another
    ///   error of binding the port.
    package func openControl(on port: Int) async throws {
        let opened = try await LocalHTTPServer.start(port: port) { [weak self] request in
            guard let self else { return .text("The server is gone.\n", status: 503) }
            return InsForgeControl(server: self).response(to: request)
        }
        control.withLock { $0 = opened }
    }

    /// The address at which other processes control this server; `nil` until `openControl(on:)` has opened it.
    public var controlURL: URL? { control.withLock { $0?.url } }

    /// The project's current anonymous key, with which an app signs people up.
    public var anonKey: String { backend.anonKeys.current }

    /// The mails that a real server would have sent, oldest first.
    public var outbox: [Mail] { backend.mailer.outbox }

    /// Every access token and refresh token issued since the server's start or its last reset, oldest first.
    public var issuedTokens: [IssuedToken] { backend.tokens.issuedTokens }

    /// Changes the rules of the running project. The existing users, the anonymous key, the signing secret, the algorithm
    /// of access tokens and the OAuth providers stay, because the server reads them from the configuration only at the start.
    public func reconfigure(_ change: (inout Configuration) -> Void) {
        backend.configuration.withLock { change(&$0) }
    }

    /// Deletes a user, so that the user's refresh tokens no longer work. Access tokens still verify until they expire. As in
    /// a real server, neither signing out nor a new password invalidates a refresh token.
    public func deleteUser(id: String) { core.changeNow { $0.users.remove(id: id) } }

    /// Makes a new key for access tokens. By default, earlier keys stay published, so that earlier tokens still verify. The
    /// call has no effect in a project that signs access tokens with its secret.
    /// - Parameter keepingIdentifier: whether to remove all earlier keys, and to give the `kid` of the newest removed key to
    ///   the new key. A server that was restored without its keys behaves in this way.
    /// - Throws: if an RSA key cannot be made, or the state cannot be saved.
    public func rotateSigningKey(keepingIdentifier: Bool = false) throws {
        try core.change { try $0.tokens.rotate(keepingIdentifier: keepingIdentifier) }
    }

    /// Resets everything to the initial state: users, keys, rules, codes, mails, limits, counters, faults and the
    /// clock.
    ///
    /// Earlier RS256 access tokens are no longer valid, because the key has a new `kid`. The signing secret is again that of
    /// the configuration. If the server used the same secret before, earlier refresh tokens of the configured users and earlier
    /// HS256 access tokens stay valid until they expire.
    /// - Throws: if an RSA key cannot be made, or the state cannot be saved.
    public func reset() throws {
        core.clock.reset()
        http.clearFaults()
        http.standingFaults = StandingFaults()
        try core.restart(from: nil)
    }

    /// Stops listening and closes every connection, on the port for control as well.
    public func stop() async {
        await control.withLock { $0 }?.stop()
        await http.stop()
    }
}

extension LocalInsForgeServer {
    /// An access token or a refresh token that the server issued.
    public struct IssuedToken: Sendable, Equatable {
        /// Kinds of issued tokens that are recorded.
        public enum Kind: String, Sendable {
            /// An access token, to call an API.
            case access
            /// A refresh token, to get a new pair of tokens.
            case refresh
        }

        /// The kind of this token. An access token is valid for 15 minutes, and a refresh token for seven days.
        public let kind: Kind
        public let subject: String
        /// The time of the server's clock when the token was issued.
        public let issuedAt: Date
        public let expiresAt: Date
        public let token: Secret
    }
}

extension LocalInsForgeServer {
    /// Counts of successes; failed attempts are in the log of ``LocalServer/http``.
    public struct Counters: Sendable, Equatable {
        /// Refresh tokens exchanged by `POST /api/auth/refresh`.
        public internal(set) var refreshes = 0
        /// OAuth codes exchanged by `POST /api/auth/oauth/exchange`.
        public internal(set) var exchanges = 0
        /// Sessions opened with a password or a mailed code by `POST /api/auth/sessions`, or with an ID token of Apple or
        /// Google by `POST /api/auth/id-token`.
        public internal(set) var signIns = 0
    }
}
