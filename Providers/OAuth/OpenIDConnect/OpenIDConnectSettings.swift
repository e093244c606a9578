import Foundation
import IdentityKit
import IdentityOAuth

/// The settings of a provider of the type `openid-connect`: the issuer, the client, and the sign-in. The provider discovers
/// endpoints and keys by the issuer.
///
/// Each setting of an ``/IdentityOAuth/OAuthServer`` is a property of this type, such as `redirectURI`, `method` and
/// `bindsTokens`. So is each setting of its ``/IdentityOAuth/OAuthClient``, such as `authentication`,
/// `transportSecurity` and `requestFormat`.
@dynamicMemberLookup
public struct OpenIDConnectSettings: Sendable {
    /// The issuer identifier, byte for byte as the server writes it.
    public var issuer: String
    /// The issuers of a multi-tenant server; `nil` for a server with one issuer. With tenants, ``issuer`` is only the
    /// address of the server's metadata.
    public var tenants: TenantIssuer?
    /// The scopes of a session. The initializers add `openid` if it is missing; a later assignment must include it. Of the
    /// ``defaultScopes``, `offline_access` is left out if the server's metadata lists scopes without it. Scopes that are
    /// set explicitly are always requested.
    public var scopes: [String] { didSet { hasDefaultScopes = false } }
    private(set) var hasDefaultScopes: Bool
    /// The pages that the server must or must not show in the browser; empty to let the server decide. `nil` asks for
    /// consent if `offline_access` is requested, because the server would otherwise ignore that scope (OpenID Connect
    /// Core section 11).
    public var prompt: [Prompt]?
    /// Addresses of endpoints that the server's metadata lacks or has wrong. If they include the token endpoint, the keys
    /// (`jwks_uri`), and the authorization or device authorization endpoint, no metadata is requested, and only these endpoints
    /// are used. With ``tenants``, metadata is always requested.
    public var endpoints: [ServerEndpoint: URL] = [:]
    /// Certificates to trust in addition to the system's: those of servers, or of authorities that issued a server's
    /// certificate. The plug-in passes them to the transport; for a provider made in code, use `ProviderContext.trusting(_:)`.
    public var trustedCertificates: TrustedCertificates?
    /// The settings that every OAuth server has, including the client. The scopes and the prompt in this value are not used,
    /// because the properties ``scopes`` and ``prompt`` replace them.
    var shared: OAuthServer

    /// The method by which a user signs in: in a browser on this device, or on another device.
    public typealias SignInMethod = OAuthServer.SignInMethod

    /// The scopes that are requested if no scopes are set. `offline_access`, which asks for a refresh token, is left out if
    /// the server's metadata lists scopes without it.
    public static let defaultScopes = ["openid", "profile", "email", "offline_access"]

    /// Creates settings in code, for a provider that no configuration describes. By default they have ``defaultScopes``.
    public init(
        issuer: String, clientID: String, authentication: ClientAuthentication = .none,
        scopes: [String]? = nil, redirectURI: URL? = nil, postLogoutRedirectURI: URL? = nil,
        method: SignInMethod = .browser, transportSecurity: TransportSecurity = .httpsOnly, prompt: [Prompt]? = nil
    ) {
        let client = OAuthClient(
            id: clientID, authentication: authentication, transportSecurity: transportSecurity)
        var shared = OAuthServer(type: OpenIDConnectPlugin.type, issuer: issuer, client: client)
        (shared.redirectURI, shared.postLogoutRedirectURI) = (redirectURI, postLogoutRedirectURI)
        shared.method = method
        self.init(issuer: issuer, scopes: scopes, prompt: prompt, shared: shared)
    }

    init(issuer: String, scopes: [String]?, prompt: [Prompt]?, shared: OAuthServer) {
        let asked = scopes ?? Self.defaultScopes
        self.scopes = asked.contains("openid") ? asked : ["openid"] + asked
        hasDefaultScopes = scopes == nil
        (self.issuer, self.prompt, self.shared) = (issuer, prompt, shared)
    }

    /// Makes each setting of an ``/IdentityOAuth/OAuthServer`` a property of these settings, such as `redirectURI`.
    public subscript<Value>(dynamicMember setting: WritableKeyPath<OAuthServer, Value>) -> Value {
        get { shared[keyPath: setting] }
        set { shared[keyPath: setting] = newValue }
    }

    /// Makes each setting of an ``/IdentityOAuth/OAuthClient`` a property of these settings, such as `authentication`.
    public subscript<Value>(dynamicMember setting: WritableKeyPath<OAuthClient, Value>) -> Value {
        get { shared.client[keyPath: setting] }
        set { shared.client[keyPath: setting] = newValue }
    }

    public var clientID: String {
        get { shared.client.id }
        set { shared.client.id = newValue }
    }

    /// Additional parameters for authorization requests and device authorization requests. Names that the protocol uses
    /// are refused when the request is made.
    public var authorizationParameters: [String: String] {
        get { Dictionary(shared.authorizationParameters.map { ($0.name, $0.value) }) { $1 } }
        set { shared.authorizationParameters = newValue.fields }
    }

    /// Additional parameters for token requests. Names that the protocol uses are refused when the request is made.
    public var tokenParameters: [String: String] {
        get { Dictionary(shared.tokenParameters.map { ($0.name, $0.value) }) { $1 } }
        set { shared.tokenParameters = newValue.fields }
    }

    func prompt(for scopes: [String]) -> [Prompt] {
        prompt ?? (scopes.contains("offline_access") ? [.consent] : [])
    }
}

extension OpenIDConnectSettings: Reticent {
    /// Shows the server, the tenants and the endpoints, without secrets.
    package var shown: KeyValuePairs<String, Any> {
        ["server": server, "tenants": tenants as Any, "endpoints": endpoints.mapValues(\.addressAlone)]
    }
}
