import Foundation
import IdentityKit

/// A local InsForge backend: the authentication API of a real one over HTTP on 127.0.0.1, with everything in memory.
///
/// Responses are those of `Documentation/Backends/InsForge.md`, down to error texts, rate limits and cookie attributes,
/// so a client that works here works with the real server. Not included: the shared OAuth callback, sign-in through
/// InsForge's cloud, and the dashboard's administration of users, mail and settings.
///
/// Two paths are not InsForge's: `/fake-provider/authorize`, which stands for the page of Google or another provider,
/// and `GET /api/demo/resource`, which stands for an API that requires a signed-in user. Other processes control the
/// server on a port of its own: ``controlURL``.
public final class LocalInsForgeServer: LocalServer {
    /// The parts that all local servers share.
    public let core: LocalServerCore<InsForgeBackend>
    private let control = Locked<LocalHTTPServer?>(nil)

    /// Creates a server from its running parts.
    public init(core: LocalServerCore<InsForgeBackend>) { self.core = core }

    /// Changes users, with the server's current time.
    /// - Throws: what `body` throws, or an error of saving the state.
    func changeUsers(_ body: (InsForgeUserDirectory, _ now: Date) throws -> Void) throws {
        try core.change { backend in try body(backend.users, backend.time.now) }
    }

    /// The initial user.
    public var user: User { configuration.user }

    /// The project's API key, with which every request is allowed.
    public var apiKey: String { configuration.apiKey }

    /// Starts a server, optionally with a port for control by other processes.
    /// - Parameters:
    ///   - port: 0 for an ephemeral port.
    ///   - controlPort: the port for control, 0 for an ephemeral one; `nil` for none.
    ///   - configuration: users, keys and rules of the project.
    ///   - time: the clock that ages tokens and codes.
    /// - Throws: if a port cannot be bound or an RSA key cannot be made.
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
    /// - Throws: if the port cannot be bound.
    package func openControl(on port: Int) async throws {
        let opened = try await LocalHTTPServer.start(port: port) { [weak self] request in
            guard let self else { return .text("The server is gone.\n", status: 503) }
            return InsForgeControl(server: self).response(to: request)
        }
        control.withLock { $0 = opened }
    }

    /// The address for control by other processes; `nil` if there is none.
    public var controlURL: URL? { control.withLock { $0?.url } }

    /// The project's anonymous key, with which an app signs people up.
    public var anonKey: String { backend.anonKeys.current }

    /// Mails that were sent, oldest first.
    public var outbox: [Mail] { backend.mailer.outbox }

    /// Every token that was issued, oldest first.
    public var issuedTokens: [IssuedToken] { backend.tokens.issuedTokens }

    /// Changes the rules of the running project. Settings that are read only at the start stay: users, keys, the
    /// administrator, the algorithm, the providers.
    public func reconfigure(_ change: (inout Configuration) -> Void) {
        backend.configuration.withLock { change(&$0) }
    }

    /// Deletes a user. Nothing else ends a session on the server.
    public func deleteUser(id: String) { core.changeNow { $0.users.remove(id: id) } }

    /// Makes a new key for access tokens. Earlier keys stay published, so that earlier tokens still verify. No effect
    /// in a project that signs with its secret.
    /// - Parameter keepingIdentifier: whether the new key replaces the previous one under the same `kid`, as at a
    ///   server that was restored without its key.
    /// - Throws: if an RSA key cannot be made.
    public func rotateSigningKey(keepingIdentifier: Bool = false) throws {
        try core.change { try $0.tokens.rotate(keepingIdentifier: keepingIdentifier) }
    }

    /// Resets everything to the initial state: users, keys, rules, codes, mails, limits, faults and the clock. The
    /// signing keys are new, so earlier tokens are no longer valid.
    /// - Throws: if an RSA key cannot be made.
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
    /// A token that was issued.
    public struct IssuedToken: Sendable, Equatable {
        /// The kind of token.
        public enum Kind: String, Sendable {
            /// An access token, to call an API.
            case access
            /// A refresh token, to get a new pair of tokens.
            case refresh
        }

        /// The kind of token.
        public let kind: Kind
        public let subject: String
        /// When it was issued.
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
        /// Sessions opened by `POST /api/auth/sessions`, with a password or a mailed code.
        public internal(set) var signIns = 0
    }
}
