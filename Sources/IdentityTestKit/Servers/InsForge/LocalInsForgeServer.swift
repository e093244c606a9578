#if Tools
import Foundation
import IdentityKit

/// A local InsForge backend: the authentication API of a real one over HTTP on 127.0.0.1, with everything in memory.
///
/// It answers as the InsForge wire contract says, down to error texts and cookie attributes, so a client that works here
/// works there. Left out: rate limits, the shared OAuth callback, native id tokens, and the dashboard's administration.
///
/// Two paths are not InsForge's: `/fake-provider/authorize`, where OAuth sign-ins end up instead of at Google, and
/// `GET /api/demo/resource`, which stands for an API that wants a signed-in user.
public final class LocalInsForgeServer: Sendable {
    /// The HTTP server below: its request log, and faults to inject.
    public let http: LocalHTTPServer
    /// The user that exists from the start.
    public let user: User
    /// The project's anonymous key, which sign-up requires.
    public let anonKey: String
    /// The project's API key, which may do everything.
    public let apiKey: String

    private let backend: InsForgeBackend

    private init(http: LocalHTTPServer, backend: InsForgeBackend, configuration: Configuration) {
        self.http = http
        self.backend = backend
        user = configuration.user
        anonKey = configuration.anonKey
        apiKey = configuration.apiKey
    }

    /// Starts a server.
    /// - Parameters:
    ///   - port: 0 for an ephemeral port.
    ///   - configuration: users, keys and rules of the project.
    ///   - time: the clock that ages tokens and codes.
    /// - Throws: when the port cannot be bound or no RSA key can be made.
    public static func start(
        port: Int = 0, configuration: Configuration = Configuration(), time: TimeSource = .system
    ) async throws -> LocalInsForgeServer {
        let backend = try InsForgeBackend(configuration: configuration, time: time)
        let router = InsForgeRouter(backend: backend)
        let http = try await LocalHTTPServer.start(port: port) { router.answer($0) }
        backend.origin.withLock { $0 = http.url.absoluteString }
        return LocalInsForgeServer(http: http, backend: backend, configuration: configuration)
    }

    /// Where the server listens: the base URL of the project.
    public var url: URL { http.url }

    /// What was mailed, oldest first.
    public var outbox: [Mail] { backend.mailer.outbox }

    /// How often each kind of sign-in succeeded.
    public var counters: Counters { backend.counters.withLock { $0 } }

    /// Changes the rules of the running project. What is read only at the start stays: users, keys, the administrator,
    /// the algorithm, the providers.
    public func reconfigure(_ change: (inout Configuration) -> Void) {
        backend.configuration.withLock { change(&$0) }
    }

    /// Deletes a user, which is the only thing that ends a session on the server.
    public func deleteUser(id: String) {
        backend.users.remove(id: id)
    }

    /// Stops listening and closes every connection.
    public func stop() async {
        await http.stop()
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
#endif
