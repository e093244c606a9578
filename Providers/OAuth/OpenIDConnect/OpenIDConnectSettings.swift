import Foundation
import IdentityKit
import IdentityOAuth

/// What an OpenID Connect provider needs to know. Everything else is discovered.
public struct OpenIDConnectSettings: Sendable {
    /// The issuer identifier, byte for byte as the server writes it.
    public var issuer: String
    /// The issuers of a server with many tenants, at which ``issuer`` is the address that its metadata is asked for below;
    /// `nil` for a server with one issuer.
    public var tenants: TenantIssuer?
    /// The client identifier.
    public var clientID: String
    /// How the client proves who it is; a public client proves nothing.
    public var authentication: ClientAuthentication
    /// How the client gets an identifier, instead of ``clientID``; `nil` for a client that somebody registered.
    public var registration: ClientRegistration?
    /// The scopes of a session. `openid` is always among them, and of the default ones ``defaultScopes`` the server may lack
    /// `offline_access`, which is then not asked for. Scopes that are set are asked for as they are.
    public var scopes: [String] { didSet { hasDefaultScopes = false } }
    private(set) var hasDefaultScopes: Bool
    /// Where authorization responses are sent, exactly as registered. A browser sign-in needs it.
    public var redirectURI: URL?
    /// Where the browser returns after a sign-out at the server; `nil` to sign out without the browser.
    public var postLogoutRedirectURI: URL?
    /// How a user signs in.
    public var method: SignInMethod
    /// Whether plain `http` to this machine is accepted.
    public var transportSecurity: TransportSecurity
    /// Whether and how the server may talk to the person in a browser; empty to leave it to the server. `nil` asks for
    /// consent where `offline_access` is asked for, because without that the scope is to be ignored (OpenID Connect Core
    /// section 11), and else for nothing.
    public var prompt: [Prompt]?
    /// What every sign-in asks for beyond the scopes.
    public var options = AuthorizationOptions()
    /// What the server wants in authorization requests, also those of devices, beyond the protocol. A name the protocol
    /// uses is refused when the request is made.
    public var authorizationParameters: [String: String] = [:]
    /// What the server wants in token requests beyond the protocol. A name the protocol uses is refused when the request
    /// is made.
    public var tokenParameters: [String: String] = [:]
    /// Whether authorization requests are pushed (RFC 9126): `nil` to do so where the server has the endpoint for it, and to
    /// send a request that it refuses as a plain one; `true` for always; `false` for only where the server requires it.
    public var pushesAuthorizationRequests: Bool?
    /// Whether authorization requests are signed with the client's key although the server does not say that it requires it
    /// (RFC 9101).
    public var signsAuthorizationRequests = false
    /// Whether tokens are bound to a key (RFC 9449), one for each session. Requests then prove that key, and a stolen token is of
    /// no use elsewhere.
    public var bindsTokens = false
    /// Whether a refresh token may be sent again when it is not known whether it was spent.
    public var replay = ReplayPolicy.never
    /// How the server writes its token responses, and what else of them is kept.
    public var tokenResponseFormat = TokenResponseFormat()
    /// How the server wants requests where that differs from the RFCs.
    public var requestFormat = RequestFormat()
    /// Text between the scopes in requests.
    public var scopeSeparator = " "
    /// Whether codes are bound to their flow (RFC 7636). Without that, the nonce of the ID token alone proves that a code
    /// belongs to the sign-in: only for a server that cannot do it.
    public var usesCodeChallenge = true
    /// The addresses of endpoints that the server announces wrongly or not at all. With those of a sign-in, of the tokens and
    /// of the keys, no metadata is asked for, and there are no other endpoints.
    public var endpoints: [AuthorizationServerMetadata.Endpoint: URL] = [:]
    /// Authorities that the server's certificate may come from besides the system's. The plug-in gives them to the
    /// transport; for a provider made in code, `ProviderContext.trusting(_:)` does.
    public var trustedCertificates: TrustedCertificates?

    /// How a user signs in.
    public typealias SignInMethod = OAuthServer.SignInMethod

    /// What a session asks for when nothing else is said.
    public static let defaultScopes = ["openid", "profile", "email", "offline_access"]

    /// Settings made in code. Without scopes a session asks for ``defaultScopes``.
    public init(
        issuer: String, clientID: String, authentication: ClientAuthentication = .none,
        scopes: [String]? = nil, redirectURI: URL? = nil, postLogoutRedirectURI: URL? = nil,
        method: SignInMethod = .browser, transportSecurity: TransportSecurity = .httpsOnly, prompt: [Prompt]? = nil
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.authentication = authentication
        let asked = scopes ?? Self.defaultScopes
        self.scopes = asked.contains("openid") ? asked : ["openid"] + asked
        hasDefaultScopes = scopes == nil
        self.redirectURI = redirectURI
        self.postLogoutRedirectURI = postLogoutRedirectURI
        self.method = method
        self.transportSecurity = transportSecurity
        self.prompt = prompt
    }

    func prompt(for scopes: [String]) -> [Prompt] {
        prompt ?? (scopes.contains("offline_access") ? [.consent] : [])
    }
}

extension OpenIDConnectSettings: CustomReflectable {
    /// Shows no secret of the client, and of the extra parameters the names alone.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "issuer": issuer.addressAlone,
                "tenants": tenants as Any,
                "clientID": clientID,
                "method": method,
                "scopes": scopes,
                "redirectURI": redirectURI?.addressAlone as Any,
                "postLogoutRedirectURI": postLogoutRedirectURI?.addressAlone as Any,
                "transportSecurity": transportSecurity,
                "options": options,
                "authorizationParameters": authorizationParameters.namesAlone,
                "tokenParameters": tokenParameters.namesAlone,
                "pushesAuthorizationRequests": pushesAuthorizationRequests as Any,
                "signsAuthorizationRequests": signsAuthorizationRequests,
                "bindsTokens": bindsTokens,
                "replay": replay,
                "tokenResponseFormat": tokenResponseFormat,
                "requestFormat": requestFormat,
                "scopeSeparator": scopeSeparator,
                "usesCodeChallenge": usesCodeChallenge,
                "endpoints": endpoints.mapValues(\.addressAlone),
            ])
    }
}
