import Foundation
import IdentityKit
import IdentityOAuth

/// The configuration of a ``ThunderIDClient``: its server, OAuth client, requests, and storage of sessions.
public struct ThunderIDConfig: Sendable {
    /// The server's base URL, such as `https://localhost:8090`.
    public private(set) var baseUrl: String
    /// The OAuth client identifier, which differs from ``applicationId``. Without it, a sign-in is only possible on the app's
    /// own screens (a native sign-in), and the session's access token is an assertion that cannot be refreshed.
    public private(set) var clientId: String?
    /// The scopes that a sign-in requests, by default only `openid`.
    public var scopes: [String]
    /// The redirect URI for authorization responses, exactly as registered. Without one, the server uses the address
    /// registered for the client if there is only one.
    public var afterSignInUrl: String?
    /// The address to return to after a sign-out, exactly as registered.
    public var afterSignOutUrl: String?
    /// A page of your own at which the browser begins a sign-in, instead of the server's authorization endpoint. The
    /// page receives the authorization request's parameters, and must redirect to that endpoint with them.
    public var signInUrl: String?
    /// A page of your own where people register. ``ThunderIDClient/signUpURL(options:)`` adds parameters to it.
    public var signUpUrl: String?
    /// The identifier of the application, for flows whose request contains none. Without it, the client asks the server
    /// for the application of ``clientId``.
    public var applicationId: String?
    /// The handle of the app's organization. It is not sent, because servers up to version 1.0 do not support it.
    public var organizationHandle: String?
    /// The client's authentication at the token endpoint, by default none, as for all apps on a person's device.
    public var clientAuthentication: ClientAuthentication
    /// Settings for the validation of ID tokens, such as the tolerated clock difference.
    public var tokenValidation: TokenValidationConfig
    private var signIn: [String: AnyCodable]
    private var signOut: [String: AnyCodable]
    private var signUp: [String: AnyCodable]
    /// Whether to call ``attestationTokenProvider`` at the start of a native sign-in or sign-out. A sign-in that begins
    /// with an authorization request needs no attestation.
    public var attestationEnabled: Bool
    /// Creates the `Attestation-Token` for the start of a native sign-in or sign-out, if ``attestationEnabled`` is set.
    /// The client calls it for each start, because each attestation needs a new key. A registration or recovery starts
    /// without a token, because the server ignores the token there.
    public var attestationTokenProvider: (@Sendable () async throws -> String)?
    /// The kind of session that a native sign-in begins, by default `automatic`.
    public var nativeSession: NativeSession
    /// Whether to push authorization requests (RFC 9126). With `true`, every request is pushed; with `false`, only if the
    /// server requires it. With `nil`, a request is pushed if the server has the endpoint. If the server then refuses the
    /// pushed request and does not require pushing, a plain request follows. For a sign-in at ``signInUrl``, `nil` has the
    /// effect of `false`.
    public var pushesAuthorizationRequests: Bool?
    /// Whether to bind the tokens of each session to a key of its own (DPoP, RFC 9449). Set it for an application that
    /// requires bound tokens.
    public var bindsTokens: Bool
    /// The language of labels and messages as a BCP 47 tag; `nil` for the first of the person's preferred languages.
    /// ``ThunderIDClient/setLanguage(_:)`` takes precedence.
    public var language: String?
    /// The storage of sessions, used if ``ThunderIDClient/initialize(config:storage:)`` gets none. If both are `nil`, the
    /// client uses the store given to ``ThunderIDClient/init(environment:)``, or else the default storage.
    public var storage: (any StorageAdapter)?
    /// A number that is appended to the name of the default storage, so that several clients of an app have a storage
    /// each; `nil` for the name without a number.
    public var instanceId: Int?
    /// The name of the default storage: the folder of files has this name, and the Keychain service is `dev.NAME.sdk`, with
    /// the app's bundle identifier at its end unless ``accessGroup`` is set.
    public var vendor: String
    /// The Keychain group of the default storage on Apple's systems, such as `ABCDE12345.com.example.shared`. An app
    /// and its extensions share the sessions in it if each has the group in its entitlement for Keychain Sharing. With
    /// `nil`, only the app uses its sessions. Ignored if ``storage`` is set.
    public var accessGroup: String?
    /// The name of the ``ThunderIDProvider`` that shares its session with this client, if both use the same store,
    /// server and OAuth client. A person who signs in with one of them is then signed in with the other, too.
    public var providerName: String
    /// Whether plain `http` to this machine is accepted, for development.
    public var allowsLoopbackHTTP: Bool
    /// Certificates to trust for this server in addition to those of the system, such as the certificate of a
    /// self-signed server at `https://localhost`: `try TrustedCertificates(named: "localhost.pem")`. All other checks
    /// of a certificate stay.
    public var trustedCertificates: TrustedCertificates?
    /// Whether to import a session of ThunderID's own SDK when this client first looks for its session. The client reads the
    /// session from the storage given to ``ThunderIDClient/initialize(config:storage:)``, or else from ``storage``. If the app
    /// gives neither, it reads the session from the Keychain on Apple's systems. After it has stored the session, it removes
    /// the original.
    public var takesOverSession: Bool
    /// Whether a new installation of the app removes the sessions that a deleted installation has left in the Keychain.
    /// The setting applies only to the default storage in the Keychain, not to files or other storages.
    public var beginsAnewAfterReinstallation = false

    /// The kind of session that a native sign-in begins.
    public enum NativeSession: String, Sendable, Hashable, CaseIterable {
        /// The kind is ``refreshable`` if all of the following conditions are met, and otherwise ``assertion``:
        ///
        /// - ``ThunderIDConfig/clientId`` is set.
        /// - ``ThunderIDConfig/attestationEnabled`` is `false`.
        /// - ``ThunderIDConfig/afterSignInUrl`` is set, or the app specifies no application, neither in
        ///   ``ThunderIDConfig/applicationId`` nor in ``EmbeddedFlowRequestConfig/applicationId``.
        /// - If the app specifies an application, the server names no other application for the OAuth client.
        case automatic
        /// A session with a refresh token and an ID token. The client begins an authorization request without a
        /// browser, the app's own screens show the flow, and the client exchanges the resulting authorization code for
        /// tokens.
        case refreshable
        /// A session whose access token is the assertion of the flow. The session ends with the assertion after an
        /// hour.
        case assertion
    }

    /// Creates a configuration for a client.
    ///
    /// A `clientSecret` replaces `clientAuthentication` by
    /// ``/IdentityOAuth/ClientAuthentication/clientSecretBasic(_:)`` with this secret.
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

    /// The client's secret; `nil` unless ``clientAuthentication`` is `clientSecretBasic` or `clientSecretPost`. A new
    /// secret selects `clientSecretBasic`, and `nil` removes a secret. Do not put a secret into an app on a
    /// person's device, because anyone can read it there.
    public var clientSecret: String? {
        get {
            switch clientAuthentication {
            case .clientSecretBasic(let secret), .clientSecretPost(let secret): secret.reveal()
            default: nil
            }
        }
        set {
            if let newValue {
                clientAuthentication = .clientSecretBasic(Secret(newValue))
            } else if clientSecret != nil {
                clientAuthentication = .none
            }
        }
    }

    /// Returns a copy with another server or client identifier; `nil` keeps the present one.
    func replacing(baseUrl: String?, clientId: String?) -> ThunderIDConfig {
        var config = self
        config.baseUrl = baseUrl ?? self.baseUrl
        config.clientId = clientId ?? self.clientId
        return config
    }
}

extension ThunderIDConfig {
    /// Checks the attestation, ``tokenValidation``, ``nativeSession`` and ``baseUrl`` without a request, and returns
    /// the base URL.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if ``attestationEnabled`` is set without
    ///   ``attestationTokenProvider``, ``tokenValidation`` is refused, ``clientId`` is missing for a refreshable
    ///   session, or ``baseUrl`` is not acceptable.
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

    /// Returns ``afterSignInUrl`` as a URL; `nil` if it is missing or empty, because the server would take an empty
    /// text for an address.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if it is no URL.
    func redirectURI() throws -> URL? {
        guard let text = afterSignInUrl, !text.isEmpty else { return nil }
        guard let url = URL(string: text) else {
            throw IAMError(.invalidConfiguration, "Set afterSignInUrl to an address that is registered for clientId.")
        }
        return url
    }
}

extension ThunderIDConfig {
    /// Returns ``signInUrl`` as a URL; `nil` if it is missing or empty.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if it is no URL or does not use HTTPS. With
    ///   ``allowsLoopbackHTTP``, `http` to this machine is accepted, too.
    func signInPage() throws -> URL? { try page(signInUrl, "signInUrl") }

    /// Returns ``signUpUrl`` as a URL.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if it is missing or empty, otherwise as ``signInPage()``.
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

extension ThunderIDConfig: Reticent {
    /// Shows addresses without their queries, and additional parameters without their values. Omits the client secret.
    package var shown: KeyValuePairs<String, Any> {
        [
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
        ]
    }
}
