import Foundation
import IdentityKit

/// Options of a client. All defaults are safe.
public struct InsForgeClientOptions: Sendable {
    public var auth: AuthOptions
    /// Options of requests and the log.
    public var global: GlobalOptions

    /// The clock, which tests can set.
    package var time = TimeSource.system
    /// The source of random bytes, which tests can make fail.
    package var random = RandomSource.system

    public init(auth: AuthOptions = .init(), global: GlobalOptions = .init()) {
        self.auth = auth
        self.global = global
    }

    /// Options of requests and the log.
    public struct GlobalOptions: Sendable {
        /// Additional header fields for every request. They cannot replace those of the protocol.
        public var headers: [String: String]
        /// The transport of requests; by default without cookies and cache, and without following redirects.
        public var transport: any HTTPTransport
        /// Whether to allow servers on this machine without TLS, such as `http://localhost`, for development.
        public var allowsLoopbackHTTP: Bool
        /// Certificates to trust for this server in addition to the system's, such as that of a server at
        /// `https://localhost` which signs its own: `try TrustedCertificates(named: "localhost.pem")`. All other checks
        /// stay. Ignored by a ``transport`` of the app's own type.
        public var trustedCertificates: TrustedCertificates?
        /// The lowest level that is logged.
        public var logLevel: LogLevel
        /// The repetition of read requests after a transient failure; by default none.
        public var retry: RetryConfiguration
        /// The target of the log.
        public var logDestination: LogDestination
        /// The subsystem under which the log is written.
        public var logSubsystem: String

        public init(
            headers: [String: String] = [:], transport: any HTTPTransport = DefaultTransport.make(),
            retry: RetryConfiguration = .disabled, allowsLoopbackHTTP: Bool = false, logLevel: LogLevel = .info,
            logDestination: LogDestination = .osLog, logSubsystem: String = "dev.insforge.swift",
            trustedCertificates: TrustedCertificates? = nil
        ) {
            self.headers = headers
            self.transport = transport
            self.retry = retry
            self.allowsLoopbackHTTP = allowsLoopbackHTTP
            self.trustedCertificates = trustedCertificates
            self.logLevel = logLevel
            self.logDestination = logDestination
            self.logSubsystem = logSubsystem
        }
    }

    /// Options of sessions and sign-ins.
    public struct AuthOptions: Sendable {
        /// Whether access tokens are refreshed automatically. If not, a session ends with its access token, unless the
        /// app calls ``InsForgeAuthClient/refreshAccessToken()``.
        public var autoRefreshToken: Bool
        /// The storage of sessions.
        public var storage: any AuthStorage
        /// The kind of client.
        public var clientType: ClientType
        /// Opens a sign-in page and returns its callback, so that an OAuth sign-in is a single call. `nil`, the
        /// default, uses the system's sheet on Apple's systems and the browser on Linux (`DefaultWebAuthenticator`),
        /// unless ``openURL`` is set.
        public var browser: (any WebAuthenticator)?
        /// Opens an address in the system's browser, and returns whether that worked. Pass the callback, which arrives
        /// at the app's own address, to ``InsForgeAuthClient/handleAuthCallback(_:)``. Ignored if ``browser`` is set.
        public var openURL: (@Sendable (URL) async -> Bool)?
        /// Whether to add a `state` to the query of `redirectTo`, by which callbacks of simultaneous sign-ins are told apart.
        ///
        /// `nil`, the default, adds it if the server keeps it: for
        /// ``InsForgeAuthClient/signInWithOAuthView(provider:redirectTo:parameters:)``, unless the project's list of
        /// allowed addresses refuses the query. `true` requires it everywhere, and cannot be combined with
        /// ``allowsTokenCallbacks``.
        public var addsStateToRedirect: Bool?
        /// Whether the callback of a flow started here may contain an access token, which is accepted after the server
        /// has confirmed its user. Servers sent tokens until March 2026: before January 2026 in every callback, and
        /// then from their sign-in page if an address was verified in another window. That page drops the query with
        /// the `state`.
        public var allowsTokenCallbacks: Bool
        /// Whether to import a session that InsForge's own SDK has stored. The original is removed after the server has
        /// accepted the session, at the first refresh or the first call for the user.
        public var takesOverSession: Bool
        /// The place where InsForge's own SDK stores its session.
        package var formerStorage = FormerStorage.ofApp

        public init(
            autoRefreshToken: Bool = true, storage: any AuthStorage = KeychainAuthStorage(),
            clientType: ClientType = .mobile, browser: (any WebAuthenticator)? = nil,
            openURL: (@Sendable (URL) async -> Bool)? = nil, addsStateToRedirect: Bool? = nil,
            allowsTokenCallbacks: Bool = false, takesOverSession: Bool = true
        ) {
            self.autoRefreshToken = autoRefreshToken
            self.storage = storage
            self.clientType = clientType
            self.browser = browser
            self.openURL = openURL
            self.addsStateToRedirect = addsStateToRedirect
            self.allowsTokenCallbacks = allowsTokenCallbacks
            self.takesOverSession = takesOverSession
        }

        /// The browser of a sign-in that waits for its callback; `nil` if ``openURL`` is used, or there is no browser.
        var pageBrowser: (any WebAuthenticator)? {
            browser ?? (openURL == nil ? DefaultWebAuthenticator.ofThisSystem : nil)
        }
    }
}

extension InsForgeClientOptions.GlobalOptions: CustomReflectable {
    /// Shows the names of the header fields alone.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "headers": headers.namesAlone,
                "transport": transport,
                "allowsLoopbackHTTP": allowsLoopbackHTTP,
                "logLevel": logLevel,
                "retry": retry,
                "logSubsystem": logSubsystem,
            ])
    }
}
