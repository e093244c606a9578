import Foundation
import IdentityKit
import IdentityOAuth

/// The configuration of a ``ThunderIDClient``: its server, and the requests to it.
public struct ThunderIDConfig: Sendable {
    /// The server's base URL, such as `https://localhost:8090`.
    public private(set) var baseUrl: String
    /// The OAuth client identifier, which differs from ``applicationId``.
    public private(set) var clientId: String?
    /// The scopes of a session.
    public var scopes: [String]
    /// The redirect URI for authorization responses, exactly as registered. Without one, the server uses the address
    /// registered for the client if there is only one.
    public var afterSignInUrl: String?
    /// The address to return to after a sign-out, exactly as registered.
    public var afterSignOutUrl: String?
    /// A page of your own at which the browser begins a sign-in, instead of the server's authorization endpoint. It
    /// receives the authorization request's parameters and must redirect with them.
    public var signInUrl: String?
    /// A page of your own where people register: ``ThunderIDClient/signUpURL(options:)``.
    public var signUpUrl: String?
    /// The application's identifier, for flows whose request names none. Without one, the server tells that of the client.
    public var applicationId: String?
    /// The handle of the app's organization. It is not sent, because servers up to version 1.0 do not support it.
    public var organizationHandle: String?
    /// The client's authentication at the token endpoint; none for apps on a person's device.
    public var clientAuthentication: ClientAuthentication
    /// The validation of ID tokens.
    public var tokenValidation: TokenValidationConfig
    private var signIn: [String: AnyCodable]
    private var signOut: [String: AnyCodable]
    private var signUp: [String: AnyCodable]
    /// Whether to call ``attestationTokenProvider`` at the start of a native sign-in.
    public var attestationEnabled: Bool
    /// Makes the `Attestation-Token` of a native sign-in. Called for every start, because a key can be attested only
    /// once, but not for registration or recovery, where the server ignores it.
    public var attestationTokenProvider: (@Sendable () async throws -> String)?
    /// The kind of session that a native sign-in begins.
    public var nativeSession: NativeSession
    /// Whether authorization requests are pushed (RFC 9126): `true` always, `false` only if the server requires it,
    /// `nil` if the server has the endpoint, with a plain request if it refuses the pushed one.
    public var pushesAuthorizationRequests: Bool?
    /// Whether tokens are bound to a key (RFC 9449), one for each session, for an application that requires it.
    public var bindsTokens: Bool
    /// The language of labels and messages as a BCP 47 tag; `nil` for the person's first language.
    public var language: String?
    /// The storage of sessions, unless ``ThunderIDClient/initialize(config:storage:)`` gets one.
    public var storage: (any StorageAdapter)?
    /// Distinguishes the sessions of several clients that share a storage.
    public var instanceId: Int?
    /// The name of the default storage.
    public var vendor: String
    /// The Keychain group of the default storage on Apple's systems, which shares its sessions between an app and its
    /// extensions, such as `ABCDE12345.com.example.shared`; `nil` for the app alone. Each of them needs the group in
    /// its entitlement for Keychain Sharing. Ignored if ``storage`` is set.
    public var accessGroup: String?
    /// The name of the ``ThunderIDProvider`` with which the session is shared, if the store has one for the same server
    /// and client: a person who signs in with one of the two is signed in with the other.
    public var providerName: String
    /// Whether plain `http` to this machine is accepted, for development.
    public var allowsLoopbackHTTP: Bool
    /// Certificates to trust for this server in addition to the system's, such as that of a server at
    /// `https://localhost` which signs its own: `try TrustedCertificates(named: "localhost.pem")`. All other checks
    /// stay.
    public var trustedCertificates: TrustedCertificates?
    /// Whether to import a session that ThunderID's own SDK has stored, when this client first looks for its session:
    /// from ``storage``, or from the Keychain on Apple's systems. The original is removed after the session is stored
    /// here.
    public var takesOverSession: Bool
    /// Whether a new installation of the app removes sessions that a deleted one has left in the Keychain. Applies only
    /// to the default storage, and not to files.
    public var beginsAnewAfterReinstallation = false

    /// The kind of session that a native sign-in begins.
    public enum NativeSession: String, Sendable, Hashable, CaseIterable {
        /// ``refreshable`` if ``ThunderIDConfig/clientId`` is set, with ``ThunderIDConfig/afterSignInUrl`` or without
        /// an application, and no attestation is needed; otherwise ``assertion``.
        case automatic
        /// A session with a refresh token and an ID token. The sign-in begins an authorization request without a browser, the
        /// app's own screens show its flow, and the resulting code is exchanged.
        case refreshable
        /// A session that consists of the flow's assertion, and ends with it after an hour.
        case assertion
    }

    /// Creates a configuration.
    ///
    /// ``clientSecret`` is short for a ``clientAuthentication`` with that secret.
    public init(
        baseUrl: String, clientId: String? = nil, scopes: [String] = ["openid"], afterSignInUrl: String? = nil,
        afterSignOutUrl: String? = nil, signInUrl: String? = nil, signUpUrl: String? = nil,
        clientSecret: String? = nil, signInOptions: [String: Any] = [:], signOutOptions: [String: Any] = [:],
        signUpOptions: [String: Any] = [:], applicationId: String? = nil, organizationHandle: String? = nil,
        clientAuthentication: ClientAuthentication = .none, attestationEnabled: Bool = false,
        attestationTokenProvider: (@Sendable () async throws -> String)? = nil,
        tokenValidation: TokenValidationConfig = TokenValidationConfig(),
        nativeSession: NativeSession = .automatic, pushesAuthorizationRequests: Bool? = nil,
        bindsTokens: Bool = false, language: String? = nil, storage: (any StorageAdapter)? = nil,
        instanceId: Int? = nil, vendor: String = "thunderid", allowsLoopbackHTTP: Bool = false,
        providerName: String = ThunderIDPlugin.type, takesOverSession: Bool = true,
        accessGroup: String? = nil, trustedCertificates: TrustedCertificates? = nil
    ) {
        self.baseUrl = baseUrl
        self.clientId = clientId
        self.scopes = scopes
        self.afterSignInUrl = afterSignInUrl
        self.afterSignOutUrl = afterSignOutUrl
        self.signInUrl = signInUrl
        self.signUpUrl = signUpUrl
        self.applicationId = applicationId
        self.organizationHandle = organizationHandle
        self.clientAuthentication = clientSecret.map { .clientSecretBasic(Secret($0)) } ?? clientAuthentication
        self.tokenValidation = tokenValidation
        signIn = signInOptions.mapValues(AnyCodable.init(_:))
        signOut = signOutOptions.mapValues(AnyCodable.init(_:))
        signUp = signUpOptions.mapValues(AnyCodable.init(_:))
        self.attestationEnabled = attestationEnabled
        self.attestationTokenProvider = attestationTokenProvider
        self.nativeSession = nativeSession
        self.pushesAuthorizationRequests = pushesAuthorizationRequests
        self.bindsTokens = bindsTokens
        self.language = language
        self.storage = storage
        self.instanceId = instanceId
        self.vendor = vendor
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        self.trustedCertificates = trustedCertificates
        self.providerName = providerName
        self.accessGroup = accessGroup
        self.takesOverSession = takesOverSession
    }

    /// Additional parameters of every authorization request, like ``SignInOptions/extra``.
    public var signInOptions: [String: Any] {
        get { signIn.mapValues(\.value) }
        set { signIn = newValue.mapValues(AnyCodable.init(_:)) }
    }

    /// Additional parameters of every sign-out at the server, like ``SignOutOptions/extra``.
    public var signOutOptions: [String: Any] {
        get { signOut.mapValues(\.value) }
        set { signOut = newValue.mapValues(AnyCodable.init(_:)) }
    }

    /// Additional parameters of ``ThunderIDClient/signUpURL(options:)``, like ``SignUpOptions/extra``.
    public var signUpOptions: [String: Any] {
        get { signUp.mapValues(\.value) }
        set { signUp = newValue.mapValues(AnyCodable.init(_:)) }
    }

    /// The client's secret, if it authenticates with one (``clientAuthentication``). Do not put a secret into an app on
    /// a person's device, because anyone can read it there.
    public var clientSecret: String? {
        get {
            switch clientAuthentication {
            case .clientSecretBasic(let secret), .clientSecretPost(let secret): secret.reveal()
            default: nil
            }
        }
        set { clientAuthentication = newValue.map { .clientSecretBasic(Secret($0)) } ?? .none }
    }

    /// A copy with another server or client identifier.
    func replacing(baseUrl: String?, clientId: String?) -> ThunderIDConfig {
        var config = self
        config.baseUrl = baseUrl ?? self.baseUrl
        config.clientId = clientId ?? self.clientId
        return config
    }
}

extension ThunderIDConfig {
    /// The base URL, after checks of the whole configuration that need no request.
    /// - Throws: ``IAMError`` with `invalidConfiguration`.
    func checkedBaseURL() throws -> ServerURL {
        guard !attestationEnabled || attestationTokenProvider != nil else {
            throw IAMError(.invalidConfiguration, "Set attestationTokenProvider, or leave attestationEnabled off.")
        }
        try tokenValidation.check()
        guard nativeSession != .refreshable || clientId != nil else {
            throw IAMError(.invalidConfiguration, "A refreshable native session needs clientId.")
        }
        do {
            return try ServerURL(baseUrl, allowsLoopbackHTTP: allowsLoopbackHTTP)
        } catch let error as ServerURLError {
            throw IAMError(.invalidConfiguration, error.message)
        }
    }

    /// ``afterSignInUrl`` as a URL; `nil` when it is missing or empty, because the server would take an empty one for an address.
    /// - Throws: ``IAMError`` with `invalidConfiguration` when it is no URL.
    func redirectURI() throws -> URL? {
        guard let text = afterSignInUrl, !text.isEmpty else { return nil }
        guard let url = URL(string: text) else {
            throw IAMError(.invalidConfiguration, "Set afterSignInUrl to an address that is registered for clientId.")
        }
        return url
    }
}

extension ThunderIDConfig {
    /// ``signInUrl`` as a URL; `nil` without one.
    /// - Throws: ``IAMError`` with `invalidConfiguration`.
    func signInPage() throws -> URL? { try page(signInUrl, "signInUrl") }

    /// ``signUpUrl`` as a URL.
    /// - Throws: ``IAMError`` with `invalidConfiguration`, also without one.
    func signUpPage() throws -> URL {
        guard let page = try page(signUpUrl, "signUpUrl") else {
            throw IAMError(.invalidConfiguration, "Set signUpUrl.")
        }
        return page
    }

    private func page(_ text: String?, _ setting: String) throws -> URL? {
        guard let text, !text.isEmpty else { return nil }
        let security = TransportSecurity(allowsLoopbackHTTP: allowsLoopbackHTTP)
        guard let url = URL(string: text), security.allows(url) else {
            throw IAMError(.invalidConfiguration, "Set \(setting) to an address that begins with https.")
        }
        return url
    }
}

extension ThunderIDConfig: CustomReflectable {
    /// Shows no secret of the client, and of the sign-in options only the names.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "baseUrl": baseUrl.addressAlone,
                "clientId": clientId as Any,
                "applicationId": applicationId as Any,
                "scopes": scopes,
                "afterSignInUrl": afterSignInUrl?.addressAlone as Any,
                "afterSignOutUrl": afterSignOutUrl?.addressAlone as Any,
                "signInUrl": signInUrl?.addressAlone as Any,
                "signUpUrl": signUpUrl?.addressAlone as Any,
                "organizationHandle": organizationHandle as Any,
                "signInOptions": signInOptions.namesAlone,
                "signOutOptions": signOutOptions.namesAlone,
                "signUpOptions": signUpOptions.namesAlone,
                "tokenValidation": tokenValidation,
                "nativeSession": nativeSession,
                "vendor": vendor,
                "accessGroup": accessGroup as Any,
            ])
    }
}
