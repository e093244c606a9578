import Foundation
import IdentityKit

/// How a client behaves. Every default is safe.
public struct InsForgeClientOptions: Sendable {
    public var auth: AuthOptions
    /// Requests and the log.
    public var global: GlobalOptions

    /// The clock; tests move it.
    package var time = TimeSource.system
    /// Random bytes; tests make it fail.
    package var random = RandomSource.system

    public init(auth: AuthOptions = .init(), global: GlobalOptions = .init()) {
        self.auth = auth
        self.global = global
    }

    /// Requests and the log.
    public struct GlobalOptions: Sendable {
        /// Header fields for every request. They replace none of the protocol's own.
        public var headers: [String: String]
        /// How requests are sent; by default without cookies, without a cache, and without following redirects.
        public var transport: any HTTPTransport
        /// Accepts a server at `http://localhost` and the like, for development. Every other server needs TLS.
        public var allowsLoopbackHTTP: Bool
        /// Certificates to trust for this server in addition to the system's, such as that of a server at
        /// `https://localhost` which signs its own: `try TrustedCertificates(named: "localhost.pem")`. No other check is
        /// left out. A ``transport`` of the app's own type decides by itself.
        public var trustedCertificates: TrustedCertificates?
        /// The least level that is logged.
        public var logLevel: LogLevel
        /// How requests that only read are repeated after a transient failure; by default not at all.
        public var retry: RetryConfiguration
        /// The target of the log.
        public var logDestination: LogDestination
        /// The name the log is written under.
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

    /// Sessions and sign-ins.
    public struct AuthOptions: Sendable {
        /// Whether an access token is refreshed automatically. Otherwise a session ends with its access token, unless
        /// ``InsForgeAuthClient/refreshAccessToken()`` is called.
        public var autoRefreshToken: Bool
        /// The storage of sessions.
        public var storage: any AuthStorage
        /// The kind of client.
        public var clientType: ClientType
        /// Opens a sign-in page and returns its callback, so that the OAuth view is a single call. `nil`, the default, is the
        /// system's sheet on Apple's systems and its browser on Linux (`DefaultWebAuthenticator`), unless there is an
        /// ``openURL``.
        public var browser: (any WebAuthenticator)?
        /// Opens an address in the system's browser, and returns whether that worked. Pass the callback, which arrives at the
        /// app's own address, to ``InsForgeAuthClient/handleAuthCallback(_:)``. A ``browser`` comes before it.
        public var openURL: (@Sendable (URL) async -> Bool)?
        /// Adds a `state` to the query of `redirectTo`, which tells the callbacks of simultaneous sign-ins apart.
        ///
        /// `nil`, the default, adds it where the server keeps it: for ``InsForgeAuthClient/signInWithOAuthView(provider:redirectTo:parameters:)``,
        /// unless the project's list of allowed addresses refuses the query. `true` requires it everywhere, and cannot be
        /// combined with ``allowsTokenCallbacks``.
        public var addsStateToRedirect: Bool?
        /// Accepts an access token in the callback of a flow that was started here, after the server has confirmed its
        /// user. Servers sent tokens until March 2026: before January 2026 in every callback, after that from their
        /// sign-in page when an address was verified in another window. That page drops the query with the `state`.
        public var allowsTokenCallbacks: Bool
        /// Whether the session that InsForge's own SDK has kept is taken over when the client is made. It is removed there
        /// once the server has accepted it: with the first refresh, or the first call for the user.
        public var takesOverSession: Bool
        /// The place in which that SDK has kept it.
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

        /// The opener of the page of a sign-in that waits for its callback; `nil` where ``openURL`` does, or nothing
        /// can.
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
