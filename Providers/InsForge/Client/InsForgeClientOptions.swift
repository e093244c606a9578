import Foundation
import IdentityKit

/// How a client behaves. Every option has a default that is safe.
public struct InsForgeClientOptions: Sendable {
    /// Sessions and sign-ins.
    public var auth: AuthOptions
    /// Requests and the log.
    public var global: GlobalOptions

    /// The clock; tests move it.
    package var time = TimeSource.system
    /// Unpredictable bytes; tests take them away.
    package var random = RandomSource.system

    /// Options.
    public init(auth: AuthOptions = .init(), global: GlobalOptions = .init()) {
        self.auth = auth
        self.global = global
    }

    /// How requests are made and what is logged about them.
    public struct GlobalOptions: Sendable {
        /// Header fields for every request. They replace none of the protocol's own.
        public var headers: [String: String]
        /// How requests are sent; by default without cookies, without a cache, and without following redirects.
        public var transport: any HTTPTransport
        /// Accept a server at `http://localhost` and the like, for development. Nothing else is ever spoken to in the clear.
        public var allowsLoopbackHTTP: Bool
        /// The least level that is logged.
        public var logLevel: LogLevel
        /// Whether requests that only read are repeated when they fail for a reason that passes; by default none is.
        public var retry: RetryConfiguration
        /// Where the log goes.
        public var logDestination: LogDestination
        /// The name the log is written under.
        public var logSubsystem: String

        /// Options.
        public init(
            headers: [String: String] = [:], transport: any HTTPTransport = URLSessionTransport(),
            retry: RetryConfiguration = .disabled, allowsLoopbackHTTP: Bool = false, logLevel: LogLevel = .info,
            logDestination: LogDestination = .osLog, logSubsystem: String = "dev.insforge.swift"
        ) {
            self.headers = headers
            self.transport = transport
            self.retry = retry
            self.allowsLoopbackHTTP = allowsLoopbackHTTP
            self.logLevel = logLevel
            self.logDestination = logDestination
            self.logSubsystem = logSubsystem
        }
    }

    /// How people sign in and where their sessions are kept.
    public struct AuthOptions: Sendable {
        /// Whether an access token that expires is refreshed by itself. Without, a session ends with its access token
        /// unless ``InsForgeAuthClient/refreshAccessToken()`` is called.
        public var autoRefreshToken: Bool
        /// Where sessions are kept.
        public var storage: any AuthStorage
        /// What the server takes this client for.
        public var clientType: ClientType
        /// Opens a sign-in page and comes back with its result. With one, the OAuth view is a single call.
        public var browser: (any WebAuthenticator)?
        /// Opens an address in the system's browser, and says whether that worked. The result then arrives at the app's
        /// own address, to be given to ``InsForgeAuthClient/handleAuthCallback(_:)``.
        public var openURL: (@Sendable (URL) async -> Bool)?
        /// Give every flow an address of its own, by a `state` in the query of `redirectTo`, so that even two sign-ins at
        /// once cannot be confused (contract 2.6).
        ///
        /// `nil`, the default, does so where the server keeps it: for ``InsForgeAuthClient/signInWithOAuthView(provider:redirectTo:parameters:)``,
        /// unless the project's list of allowed addresses refuses the query. `true` demands it everywhere, and cannot be
        /// combined with ``allowsTokenCallbacks``; `false` never does it.
        public var addsStateToRedirect: Bool?
        /// Accept an access token in a callback. Servers sent tokens until March 2026: before January 2026 in every answer,
        /// after that from their sign-in page when an address was verified in another window. The token must answer a flow
        /// that was started here, and the server must say whose it is (contract 2.9).
        ///
        /// That page replaces the whole query of the address it returns to, so no `state` survives there.
        public var allowsTokenCallbacks: Bool

        /// Options.
        public init(
            autoRefreshToken: Bool = true, storage: any AuthStorage = KeychainAuthStorage(),
            clientType: ClientType = .mobile, browser: (any WebAuthenticator)? = nil,
            openURL: (@Sendable (URL) async -> Bool)? = nil, addsStateToRedirect: Bool? = nil,
            allowsTokenCallbacks: Bool = false
        ) {
            self.autoRefreshToken = autoRefreshToken
            self.storage = storage
            self.clientType = clientType
            self.browser = browser
            self.openURL = openURL
            self.addsStateToRedirect = addsStateToRedirect
            self.allowsTokenCallbacks = allowsTokenCallbacks
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
