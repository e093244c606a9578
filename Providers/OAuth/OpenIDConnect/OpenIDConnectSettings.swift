import Foundation
import IdentityKit
import IdentityOAuth

/// Settings of an OpenID Connect provider. Everything else is discovered.
///
/// The settings of an ``/IdentityOAuth/OAuthServer`` are settings here too, such as `redirectURI`, `method` and `bindsTokens`,
/// and so are those of its ``/IdentityOAuth/OAuthClient``: `authentication`, `transportSecurity` and `requestFormat`.
@dynamicMemberLookup
public struct OpenIDConnectSettings: Sendable {
    /// The issuer identifier, byte for byte as the server writes it.
    public var issuer: String
    /// The issuers of a server with many tenants, at which ``issuer`` is the address that its metadata is asked for below;
    /// `nil` for a server with one issuer.
    public var tenants: TenantIssuer?
    /// The scopes of a session. `openid` is always among them, and of the default ones ``defaultScopes`` the server may lack
    /// `offline_access`, which is then not asked for. Scopes that are set are asked for as they are.
    public var scopes: [String] { didSet { hasDefaultScopes = false } }
    private(set) var hasDefaultScopes: Bool
    /// Whether and how the server may talk to the person in a browser; empty to leave it to the server. `nil` asks for
    /// consent where `offline_access` is asked for, because without that the scope is to be ignored (OpenID Connect Core
    /// section 11), and else for nothing.
    public var prompt: [Prompt]?
    /// The addresses of endpoints that the server announces wrongly or not at all. With those of a sign-in, of the tokens and
    /// of the keys, no metadata is asked for, and there are no other endpoints.
    public var endpoints: [AuthorizationServerMetadata.Endpoint: URL] = [:]
    /// Authorities that the server's certificate may come from besides the system's. The plug-in gives them to the
    /// transport; for a provider made in code, `ProviderContext.trusting(_:)` does.
    public var trustedCertificates: TrustedCertificates?
    /// Settings that every OAuth server has, with the client.
    var shared: OAuthServer

    /// How a user signs in.
    public typealias SignInMethod = OAuthServer.SignInMethod

    /// Scopes of a session when nothing else is said.
    public static let defaultScopes = ["openid", "profile", "email", "offline_access"]

    /// Settings made in code. Without scopes a session asks for ``defaultScopes``.
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

    /// A setting of an ``/IdentityOAuth/OAuthServer``.
    public subscript<Value>(dynamicMember setting: WritableKeyPath<OAuthServer, Value>) -> Value {
        get { shared[keyPath: setting] }
        set { shared[keyPath: setting] = newValue }
    }

    /// A setting of an ``/IdentityOAuth/OAuthClient``.
    public subscript<Value>(dynamicMember setting: WritableKeyPath<OAuthClient, Value>) -> Value {
        get { shared.client[keyPath: setting] }
        set { shared.client[keyPath: setting] = newValue }
    }

    public var clientID: String {
        get { shared.client.id }
        set { shared.client.id = newValue }
    }

    /// Parameters beyond the protocol for authorization requests, also those of devices. A name the protocol uses is
    /// refused when the request is made.
    public var authorizationParameters: [String: String] {
        get { Dictionary(shared.authorizationParameters.map { ($0.name, $0.value) }) { $1 } }
        set { shared.authorizationParameters = newValue.fields }
    }

    /// Parameters beyond the protocol for token requests. A name the protocol uses is refused when the request is made.
    public var tokenParameters: [String: String] {
        get { Dictionary(shared.tokenParameters.map { ($0.name, $0.value) }) { $1 } }
        set { shared.tokenParameters = newValue.fields }
    }

    func prompt(for scopes: [String]) -> [Prompt] {
        prompt ?? (scopes.contains("offline_access") ? [.consent] : [])
    }
}

extension OpenIDConnectSettings: CustomReflectable {
    /// Shows the server, without its secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "server": server, "tenants": tenants as Any, "endpoints": endpoints.mapValues(\.addressAlone),
            ])
    }
}
