import Foundation
import IdentityKit
import IdentityOAuth

/// How a ``ThunderIDClient`` reaches its server, and what it asks for.
public struct ThunderIDConfig: Sendable {
    /// The server's base URL, such as `https://localhost:8090`.
    public private(set) var baseUrl: String
    /// The application's OAuth client identifier. It is another one than the application's own.
    public private(set) var clientId: String?
    /// The scopes of a session.
    public var scopes: [String]
    /// The redirect URI, where an authorization response arrives, exactly as it is registered. Without one the server
    /// uses the address that is registered for the client, provided that it is the only one.
    public var afterSignInUrl: String?
    /// Target of a sign-out, exactly as it is registered.
    public var afterSignOutUrl: String?
    /// A page of your own where the browser begins a sign-in, in place of the server's authorization endpoint. It gets the
    /// authorization request's parameters and sends the browser on with them.
    public var signInUrl: String?
    /// A page of your own where people register: ``ThunderIDClient/signUpURL(options:)``.
    public var signUpUrl: String?
    /// The application's entity identifier, for flows whose request names none. Without one the server tells the client's.
    public var applicationId: String?
    /// The handle of the organization that the app is for. Servers up to version 1.0 take no handle, so none is sent.
    public var organizationHandle: String?
    /// How the client authenticates at the token endpoint; apps on a person's device do not.
    public var clientAuthentication: ClientAuthentication
    /// How ID tokens are validated.
    public var tokenValidation: TokenValidationConfig
    private var signIn: [String: AnyCodable]
    private var signOut: [String: AnyCodable]
    private var signUp: [String: AnyCodable]
    /// Whether ``attestationTokenProvider`` is asked when a native sign-in starts.
    public var attestationEnabled: Bool
    /// Makes the `Attestation-Token` of a native sign-in. It is called once for every start, because a key can be
    /// attested once only, and never for registration or recovery, where the server does not look at it.
    public var attestationTokenProvider: (@Sendable () async throws -> String)?
    /// Results of a native sign-in.
    public var nativeSession: NativeSession
    /// Whether authorization requests are pushed (RFC 9126): `nil` to do so where the server has the endpoint for it, and to
    /// send a request that it refuses as a plain one; `true` for always; `false` for only where the server requires it.
    public var pushesAuthorizationRequests: Bool?
    /// Whether tokens are bound to a key (RFC 9449), one for each session, for an application that requires it.
    public var bindsTokens: Bool
    /// The language of labels and messages as a BCP 47 tag; `nil` for the person's first language.
    public var language: String?
    /// The storage of sessions, unless ``ThunderIDClient/initialize(config:storage:)`` says otherwise.
    public var storage: (any StorageAdapter)?
    /// Tells the sessions of several clients apart that share a storage.
    public var instanceId: Int?
    /// Names the default storage.
    public var vendor: String
    /// The Keychain group of the default storage on Apple's systems, which shares its sessions between an app and its
    /// extensions, such as `ABCDE12345.com.example.shared`; `nil` for the app alone. Each of them lists the group in its
    /// entitlement for Keychain Sharing. It does not concern ``storage``.
    public var accessGroup: String?
    /// The name of the provider whose session this is, where the store has one for the same server and client: a person
    /// who signs in with one of the two is signed in with the other.
    public var providerName: String
    /// Whether plain `http` to this machine is accepted, for development.
    public var allowsLoopbackHTTP: Bool
    /// Certificates to trust for this server in addition to the system's, such as that of a server at `https://localhost`
    /// which signs its own: `try TrustedCertificates(named: "localhost.pem")`. No other check is left out.
    public var trustedCertificates: TrustedCertificates?
    /// Whether the session that ThunderID's own SDK has kept is taken over, when this client looks for its session first:
    /// from ``storage``, or from the Keychain on Apple's systems. It is removed there once it is stored here.
    public var takesOverSession: Bool
    /// Whether the sessions that a deleted installation of the app has left in the Keychain are removed when the app is
    /// installed again. It is for the default storage, and has no effect on files.
    public var beginsAnewAfterReinstallation = false

    /// Results of a native sign-in.
    public enum NativeSession: String, Sendable, Hashable, CaseIterable {
        /// ``refreshable`` where ``ThunderIDConfig/clientId`` is set, with ``ThunderIDConfig/afterSignInUrl`` or without an
        /// application, and no attestation is asked for; else ``assertion``.
        case automatic
        /// A session with a refresh token and an ID token: the app's own screens drive the flow of an authorization
        /// request.
        case refreshable
        /// The flow's assertion alone: it lasts an hour, and the session ends with it.
        case assertion
    }

    /// A configuration.
    ///
    /// ``clientSecret`` stands for ``clientAuthentication`` with that secret.
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

    /// More parameters of every authorization request, as in ``SignInOptions/extra``.
    public var signInOptions: [String: Any] {
        get { signIn.mapValues(\.value) }
        set { signIn = newValue.mapValues(AnyCodable.init(_:)) }
    }

    /// More parameters of every sign-out at the server, as in ``SignOutOptions/extra``.
    public var signOutOptions: [String: Any] {
        get { signOut.mapValues(\.value) }
        set { signOut = newValue.mapValues(AnyCodable.init(_:)) }
    }

    /// More parameters of ``ThunderIDClient/signUpURL(options:)``, as in ``SignUpOptions/extra``.
    public var signUpOptions: [String: Any] {
        get { signUp.mapValues(\.value) }
        set { signUp = newValue.mapValues(AnyCodable.init(_:)) }
    }

    /// The client's secret, where it authenticates with one (``clientAuthentication``). An app on a person's device keeps
    /// none: whoever has the app can read it.
    public var clientSecret: String? {
        get {
            switch clientAuthentication {
            case .clientSecretBasic(let secret), .clientSecretPost(let secret): secret.reveal()
            default: nil
            }
        }
        set { clientAuthentication = newValue.map { .clientSecretBasic(Secret($0)) } ?? .none }
    }

    /// Replaces the server or the client; everything else stays.
    func replacing(baseUrl: String?, clientId: String?) -> ThunderIDConfig {
        var config = self
        config.baseUrl = baseUrl ?? self.baseUrl
        config.clientId = clientId ?? self.clientId
        return config
    }
}

extension ThunderIDConfig {
    /// The base URL, checked with everything else that can be wrong before a server is asked.
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
    /// Shows no secret of the client, and of the sign-in options the names alone.
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
