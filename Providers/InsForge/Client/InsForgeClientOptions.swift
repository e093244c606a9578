import Foundation
import IdentityKit

/// The options of an ``InsForgeClient``. Every option has a default that is safe in production.
public struct InsForgeClientOptions: Sendable {
    public var auth: AuthOptions
    /// The options of the transport, the header fields, the retries and the log.
    public var global: GlobalOptions

    /// The clock for expiries and pauses, by default the system clock. Tests replace it.
    package var time = TimeSource.system
    /// The source of random bytes for PKCE verifiers and `state`, by default the system's. Tests make it fail.
    package var random = RandomSource.system

    public init(auth: AuthOptions = .init(), global: GlobalOptions = .init()) {
        self.auth = auth
        self.global = global
    }

    /// Options of all requests to the server, and of the log.
    public struct GlobalOptions: Sendable {
        /// Additional header fields for requests to `/api`, except the request for the server's keys. They cannot set
        /// `Authorization`, nor the `Content-Type` of a JSON body.
        public var headers: [String: String]
        /// The transport of requests. The default transport stores no cookies and no cache, and follows no redirects.
        public var transport: any HTTPTransport
        /// Whether to allow servers on this machine without TLS, such as `http://localhost`, for development.
        public var allowsLoopbackHTTP: Bool
        /// Certificates to trust in addition to the system's: those of servers, or of authorities that issued a server's
        /// certificate. Example for a self-signed `https://localhost`: `try TrustedCertificates(named: "localhost.pem")`. All
        /// other checks of a certificate stay. A ``transport`` of the app's own type ignores these certificates.
        public var trustedCertificates: TrustedCertificates?
        /// The least severe level that is logged, by default `info`. More detailed levels are dropped.
        public var logLevel: LogLevel
        /// The repetition of read requests after a transient failure; by default none.
        public var retry: RetryConfiguration
        /// The target of the log. The default is Apple's unified logging, so nothing is written on other systems.
        public var logDestination: LogDestination
        /// The subsystem of the entries in Apple's unified logging. On the console, the name precedes each line.
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
        /// Whether access tokens are refreshed automatically. If not, a session ends when its access token expires,
        /// unless the app calls ``InsForgeAuthClient/refreshAccessToken()`` before that time.
        public var autoRefreshToken: Bool
        /// The storage that opens the token store of the sessions, by default ``KeychainAuthStorage``.
        public var storage: any AuthStorage
        /// The kind of client, sent to the server as `client_type`; by default `mobile`.
        public var clientType: ClientType
        /// Opens a sign-in page and returns its callback, so that an OAuth sign-in is a single call. `nil`, the
        /// default, uses the system's sheet on Apple's systems and the browser on Linux (`DefaultWebAuthenticator`),
        /// unless ``openURL`` is set.
        public var browser: (any WebAuthenticator)?
        /// Opens an address in the system's browser, and returns whether that worked. The callback arrives at
        /// `redirectTo`, and the app must pass it to ``InsForgeAuthClient/handleAuthCallback(_:)``. Ignored if
        /// ``browser`` is set.
        public var openURL: (@Sendable (URL) async -> Bool)?
        /// Whether to add a `state` to the query of `redirectTo`, so that callbacks of simultaneous sign-ins can be
        /// distinguished.
        ///
        /// With `nil`, the default, ``InsForgeAuthClient/signInWithOAuthView(provider:redirectTo:parameters:)`` adds it,
        /// unless the project's list of allowed addresses refuses the query or ``allowsTokenCallbacks`` is set.
        /// ``InsForgeAuthClient/signInWithDefaultView(redirectTo:)`` adds it only with `true`. If `true` is combined with
        /// ``allowsTokenCallbacks``, the configuration is invalid.
        public var addsStateToRedirect: Bool?
        /// Whether the callback of a flow of this app may contain an access token. Before the token is accepted, the
        /// server is asked for the token's user. Servers sent such tokens in every callback until January 2026. From
        /// then until March 2026, only their sign-in page sent them, if an address was verified in another window. This
        /// page drops the query of the redirect URI, and therefore also the `state`.
        public var allowsTokenCallbacks: Bool
        /// Whether to import a session that InsForge's own SDK has stored. The SDK's copy is removed when the user signs in or
        /// out. It is also removed after the first successful refresh or call with the user's token, because this success shows
        /// that the server accepts the session.
        public var takesOverSession: Bool
        /// The storage in which InsForge's own SDK keeps its session. Tests replace it.
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

        /// The browser that waits for the callback of a sign-in; `nil` if ``openURL`` is used, or the system has no
        /// browser.
        var pageBrowser: (any WebAuthenticator)? {
            browser ?? (openURL == nil ? DefaultWebAuthenticator.ofThisSystem : nil)
        }
    }
}

extension InsForgeClientOptions.GlobalOptions: Reticent {
    /// Shows header fields without their values, which may be secrets. Certificates and the log destination are omitted.
    package var shown: KeyValuePairs<String, Any> {
        [
            "headers": headers.namesAlone,
            "transport": transport,
            "allowsLoopbackHTTP": allowsLoopbackHTTP,
            "logLevel": logLevel,
            "retry": retry,
            "logSubsystem": logSubsystem,
        ]
    }
}
