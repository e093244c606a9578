import Foundation
import IdentityKit

/// A local InsForge backend: the authentication API of a real one over HTTP on 127.0.0.1, with everything in memory.
///
/// Responses are those of `Documentation/Backends/InsForge.md`, down to error texts, rate limits and cookie attributes,
/// so a client that works here works there. Left out: the shared OAuth callback, sign-in through InsForge's cloud, and the
/// dashboard's administration of users, mail and settings.
///
/// Two paths are not InsForge's: `/fake-provider/authorize`, where OAuth sign-ins end up instead of at Google, and
/// `GET /api/demo/resource`, which stands for an API that requires a signed-in user. Other processes control the server
/// on a port of its own: ``controlURL``.
public final class LocalInsForgeServer: LocalServer {
    /// The running parts of the server.
    public let core: LocalServerCore<InsForgeBackend>
    private let control = Locked<LocalHTTPServer?>(nil)

    /// Makes the server of what runs.
    public init(core: LocalServerCore<InsForgeBackend>) { self.core = core }

    /// Changes users, at the time it is.
    /// - Throws: what `body` throws, or when the state cannot be saved.
    func changeUsers(_ body: (InsForgeUserDirectory, _ now: Date) throws -> Void) throws {
        try core.change { backend in try body(backend.users, backend.time.now) }
    }

    /// The user that exists from the start.
    public var user: User { configuration.user }

    /// The project's API key, which may do everything.
    public var apiKey: String { configuration.apiKey }

    /// Starts a server that can be steered from outside.
    /// - Parameters:
    ///   - port: 0 for an ephemeral port.
    ///   - controlPort: where it can be steered, 0 for an ephemeral port; `nil` for nowhere.
    ///   - configuration: users, keys and rules of the project.
    ///   - time: the clock that ages tokens and codes.
    /// - Throws: when a port cannot be bound or no RSA key can be made.
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

    /// Opens the port on which the server can be steered from outside.
    /// - Throws: when the port cannot be bound.
    package func openControl(on port: Int) async throws {
        let opened = try await LocalHTTPServer.start(port: port) { [weak self] request in
            guard let self else { return .text("The server is gone.\n", status: 503) }
            return InsForgeControl(server: self).response(to: request)
        }
        control.withLock { $0 = opened }
    }

    /// The address for control from outside; `nil` when it was started without.
    public var controlURL: URL? { control.withLock { $0?.url } }

    /// The project's anonymous key, which sign-up requires.
    public var anonKey: String { backend.anonKeys.current }

    /// Mails that were sent, oldest first.
    public var outbox: [Mail] { backend.mailer.outbox }

    /// Every token that was issued, oldest first.
    public var issuedTokens: [IssuedToken] { backend.tokens.issuedTokens }

    /// Changes the rules of the running project. What is read only at the start stays: users, keys, the administrator,
    /// the algorithm, the providers.
    public func reconfigure(_ change: (inout Configuration) -> Void) {
        backend.configuration.withLock { change(&$0) }
    }

    /// Deletes a user, which is the only thing that ends a session on the server.
    public func deleteUser(id: String) { core.changeNow { $0.users.remove(id: id) } }

    /// Signs access tokens with a new key from now on. The old ones stay published, so earlier tokens still verify. A
    /// project that signs with its secret has no such key.
    /// - Parameter keepingIdentifier: whether the new key takes the place and the `kid` of the one before, which is published
    ///   no more: a server that was restored without its key.
    /// - Throws: when no RSA key can be made.
    public func rotateSigningKey(keepingIdentifier: Bool = false) throws {
        try core.change { try $0.tokens.rotate(keepingIdentifier: keepingIdentifier) }
    }

    /// Makes everything as it was at the start: users, keys, rules, codes, mails, limits, faults and the clock. The
    /// signing keys are new, so earlier tokens are not valid any more.
    /// - Throws: when no RSA key can be made.
    public func reset() throws {
        core.clock.reset()
        http.clearFaults()
        try core.restart(from: nil)
    }

    /// Stops listening and closes every connection, also where it is steered from outside.
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
            /// To call an API.
            case access
            /// To get another pair.
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
    /// How often something succeeded; failed attempts are in the log of ``LocalServer/http``.
    public struct Counters: Sendable, Equatable {
        /// Refresh tokens exchanged by `POST /api/auth/refresh`.
        public internal(set) var refreshes = 0
        /// OAuth codes exchanged by `POST /api/auth/oauth/exchange`.
        public internal(set) var exchanges = 0
        /// Sessions opened by `POST /api/auth/sessions`, with a password or a mailed code.
        public internal(set) var signIns = 0
    }
}
