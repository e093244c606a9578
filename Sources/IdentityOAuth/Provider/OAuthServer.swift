import Foundation
import IdentityKit

/// The description of an OAuth server and its client: endpoints, scopes, and the source of the account's identity. Create
/// a provider from it with ``OAuthSessionProvider``:
///
/// ```swift
/// var server = try OAuthServer(
///     type: "acme", backend: "https://acme.example", client: OAuthClient(id: "app"),
///     endpoints: [.authorization: authorize, .token: token, .revocation: revoke],
///     account: .request(me, identifier: "id"))
/// server.scopes = ["read"]
/// server.redirectURI = URL(string: "com.example.app:/callback")
/// let provider = OAuthSessionProvider(server, context: context)
/// ```
public struct OAuthServer: Sendable {
    /// How a user signs in.
    public enum SignInMethod: String, Sendable, Codable, CaseIterable {
        /// On the server's page, in a browser on this device (RFC 6749 section 4.1).
        case browser
        /// On the server's page, on another device (RFC 8628).
        case device
    }

    /// The provider type of the server's sessions, ``/IdentityKit/ProviderPlugin/type``.
    public internal(set) var type: String
    /// The identifier of the server in its sessions: the issuer identifier, base URL or resource identifier.
    public internal(set) var backend: String
    /// The protected resource that tokens are for, and the only one to which they are sent; `nil` for any (RFC 8707).
    public internal(set) var resource: URL?
    public var client: OAuthClient
    /// The way in which the client gets its identifier; `nil` for a client that is registered already and has one in
    /// ``client``.
    public var registration: ClientRegistration?
    /// The source of the account's identifier and profile.
    public var account: AccountSource
    /// The scopes that every sign-in asks for. If empty, the scopes that the protected resource demands are used, if any.
    public var scopes: [String] = []
    /// Members of ``scopes`` that are defaults of this library and were not configured. They are left out if the server's
    /// metadata lists scopes without them, because some servers refuse unknown scopes.
    package var optionalScopes: Set<String> = []
    /// The sign-in method, by default in a browser on this device.
    public var method = SignInMethod.browser
    /// The grant with which the server accepts a vendor's token from this device in place of a sign-in on the server's page;
    /// `nil` if the server accepts no such token. The page is used if the app has no ``/IdentityKit/NativeSignIn`` for the
    /// vendor.
    public var nativeSignIn: NativeTokenGrant?
    /// The address to which authorization responses are sent, exactly as registered. A sign-in in the browser needs it.
    public var redirectURI: URL?
    /// The address to which the browser returns after a sign-out at the server; `nil` to sign out without the browser.
    public var postLogoutRedirectURI: URL?
    /// Returns the values of the parameter `prompt` for the requested scopes (OpenID Connect Core section 3.1.2.1). By default
    /// there are none, except `consent` for `offline_access` at a server that is found through a protected resource.
    public var prompt: @Sendable (_ scopes: [String]) -> [Prompt] = { _ in [] }
    /// Additional parameters for authorization requests and device authorization requests. Names that the protocol uses
    /// are refused when the request is made.
    public var authorizationParameters: [FormField] = []
    /// Additional parameters for token requests. Names that the protocol uses are refused when the request is made.
    public var tokenParameters: [FormField] = []
    /// The form in which the server returns a sign-in's response; `nil` for the server's default, the query. With
    /// ``ResponseMode/formPost``, name and e-mail address are also read from the parameter `user`, which Apple sends
    /// only at the first sign-in.
    public var responseMode: ResponseMode?
    /// Parameters of every sign-in in addition to the scopes.
    public var options = AuthorizationOptions()
    /// The separator of scopes in requests: a space (RFC 6749 section 3.3), or at some servers a comma.
    public var scopeSeparator = " "
    /// Whether authorization codes are bound to their flow by PKCE (RFC 7636). Without PKCE, a stolen or injected code can
    /// be used (RFC 9700 section 2.1.1), so turn this off only for a server that does not support PKCE.
    public var usesCodeChallenge = true
    /// Deviations of the server's token responses from the RFCs.
    public var tokenResponseFormat = TokenResponseFormat()
    /// Whether authorization requests are pushed (RFC 9126). `true` always pushes them. `false` pushes them only if the
    /// server requires that. `nil` pushes them if the server has the endpoint. With `nil`, a plain request follows if the
    /// pushed one is refused or its response cannot be used, unless the server requires pushed requests.
    public var pushesAuthorizationRequests: Bool?
    /// Whether to sign authorization requests with the client's key even if the server does not require it (RFC 9101).
    public var signsAuthorizationRequests = false
    /// Whether the tokens of every session are bound to a key of that session (RFC 9449). Requests then prove
    /// possession of that key.
    public var bindsTokens = false
    /// The tolerated difference between the clocks of the server and this machine, in addition to the offset that the server's
    /// responses show.
    package var clockTolerance: Duration = .seconds(60)
    /// Whether a refresh token may be sent again after a failure that leaves open whether it was spent.
    public var replay = ReplayPolicy.never
    /// The way in which the server issues access tokens for several resources with one refresh token.
    public var tokensByResource = TokensByResource.rfc8707

    /// Whether tokens are bound to a key if the protected resource requires that, or if the resource and its authorization
    /// server both support it.
    package var bindsOfferedTokens = true

    /// The issuer that the configuration names for a resource; `nil` to use the first issuer that the resource names.
    var givenIssuer: URL?
    /// The configured addresses of endpoints, which may be private addresses; see ``guarding(_:)``.
    var givenEndpoints: [URL] = []

    /// Discovers the server's metadata. The second argument is the protected resource's response to a request without a token;
    /// `nil` if no response is known. If a response is given, the discovery need not send that request.
    var discover: @Sendable (IdentityEnvironment, ResourceRefusal?) async throws -> DiscoveredServer

    /// Creates a server whose metadata is found by its issuer identifier (OpenID Connect Discovery, RFC 8414).
    /// - Parameters:
    ///   - type: the provider type.
    ///   - issuer: the issuer identifier, byte for byte as the server writes it.
    ///   - client: the app's client at the server.
    ///   - account: the source of the account's identity.
    ///   - tenants: the issuers of a multi-tenant server, with which `iss` is compared instead of `issuer`; `nil` for a
    ///     server with one issuer.
    ///   - endpoints: the addresses of endpoints that the server announces wrongly or not at all.
    public init(
        type: String, issuer: String, client: OAuthClient, account: AccountSource = .idToken,
        tenants: TenantIssuer? = nil,
        replacing endpoints: [ServerEndpoint: URL] = [:]
    ) {
        self.init(type: type, backend: issuer, client: client, account: account) { transport in
            var found = DiscoveredServer(
                try await Discovery.discover(
                    issuer: issuer, preferring: account.isIDToken ? .openIDConnect : .authorizationServer,
                    tenants: tenants, using: transport,
                    transportSecurity: client.transportSecurity, replacing: endpoints))
            found.tenants = tenants
            return found
        }
        givenEndpoints = Array(endpoints.values)
    }

    /// Creates a server whose endpoints are configured, so that no metadata is requested.
    /// - Parameters:
    ///   - type: the provider type.
    ///   - backend: the base URL of the server.
    ///   - client: the app's client at the server.
    ///   - endpoints: the addresses of the endpoints.
    ///   - account: the source of the account's identity.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` for an unacceptable address of the authorization endpoint, the token
    ///   endpoint or the keys. Any other endpoint with an unacceptable address counts as absent.
    public init(
        type: String, backend: String, client: OAuthClient, endpoints: [ServerEndpoint: URL],
        account: AccountSource
    ) throws {
        var members: [String: JSONValue] = ["issuer": .string(backend)]
        for (endpoint, url) in endpoints { members[endpoint.rawValue] = .string(url.absoluteString) }
        let metadata = try AuthorizationServerMetadata(members: members, transportSecurity: client.transportSecurity)
        self.init(type: type, backend: backend, client: client, account: account) { _ in DiscoveredServer(metadata) }
        givenEndpoints = Array(endpoints.values)
    }

    /// Creates a server whose metadata `discover` requests or makes.
    package init(
        type: String, backend: String, client: OAuthClient, account: AccountSource,
        discover: @escaping @Sendable (any HTTPTransport) async throws -> DiscoveredServer
    ) {
        self.init(type: type, backend: backend, client: client, account: account) { environment, _ in
            try await discover(environment.transport)
        }
    }

    init(
        type: String, backend: String, client: OAuthClient, account: AccountSource,
        discover: @escaping @Sendable (IdentityEnvironment, ResourceRefusal?) async throws -> DiscoveredServer
    ) {
        self.type = type
        self.backend = backend
        self.client = client
        self.account = account
        self.discover = discover
    }

    /// Returns the environment for this server's requests. If `environment` refuses private addresses, requests may go to a
    /// private address only at the origin of a configured address. Other origins that the server's metadata names must be
    /// public.
    func guarding(_ environment: IdentityEnvironment) -> IdentityEnvironment {
        environment.guarded(
            besides: [URL(string: backend), resource, givenIssuer].compactMap { $0 } + givenEndpoints
                + account.addresses)
    }

    /// Discovers the server, and returns a relying party for it with the settings of this description.
    /// - Parameter refusal: the protected resource's response to a request without a token; `nil` if none is known.
    /// - Throws: what ``discover`` throws.
    func relyingParty(
        in environment: IdentityEnvironment, after refusal: ResourceRefusal? = nil
    ) async throws -> RelyingParty {
        let found = try await discover(environment, refusal)
        var party = RelyingParty(
            metadata: found.metadata, client: client.using(environment, at: found.metadata),
            transport: environment.transport, random: environment.random, time: environment.time)
        party.bindsTokens = bindsTokens || bindsOfferedTokens && found.takesBoundTokens
        party.discoveredScopes = found.scopes
        party.tenants = found.tenants
        party.clockTolerance = clockTolerance
        party.signsAuthorizationRequests = signsAuthorizationRequests
        party.requiresAnnouncedCodeChallenge = found.isOfResource
        party.challenge = found.challenge
        party.notice = found.notice
        party.resource = found.resource
        party.tokenParameters =
            tokenParameters + options.with(resource: found.resource, for: backend).resourceParameters
        party.tokenResponseFormat = tokenResponseFormat
        party.usesCodeChallenge = usesCodeChallenge
        party.scopeSeparator = scopeSeparator
        party.idTokensNameAccounts = account.isIDToken
        return party
    }
}

package struct DiscoveredServer: Sendable {
    let metadata: AuthorizationServerMetadata
    var scopes: [String]?
    /// Whether the protected resource requires tokens bound to a key, or the resource and the server both support them.
    var takesBoundTokens = false
    var tenants: TenantIssuer?
    /// Whether the server was found through a protected resource, so that no developer has examined it.
    var isOfResource = false
    /// The resource identifier in the resource's own metadata, which may be a parent of the configured one.
    var resource: String?
    var challenge: ResourceChallenge?
    /// A text for the person, shown before the sign-in. It names the resource and its authorization server; `nil` if the
    /// server was not found through a resource.
    var notice: String?

    package init(_ metadata: AuthorizationServerMetadata) {
        self.metadata = metadata
    }
}

extension OAuthServer: Reticent {
    /// Leaves out the secrets of the client and the values of the additional parameters.
    package var shown: KeyValuePairs<String, Any> {
        [
            "type": type,
            "backend": backend.addressAlone,
            "client": client,
            "registration": registration as Any,
            "account": account,
            "scopes": scopes,
            "method": method,
            "nativeSignIn": nativeSignIn as Any,
            "redirectURI": redirectURI?.addressAlone as Any,
            "postLogoutRedirectURI": postLogoutRedirectURI?.addressAlone as Any,
            "responseMode": responseMode as Any,
            "options": options,
            "authorizationParameters": authorizationParameters,
            "tokenParameters": tokenParameters,
            "pushesAuthorizationRequests": pushesAuthorizationRequests as Any,
            "signsAuthorizationRequests": signsAuthorizationRequests,
            "bindsTokens": bindsTokens,
            "replay": replay,
            "tokensByResource": tokensByResource,
            "scopeSeparator": scopeSeparator,
            "usesCodeChallenge": usesCodeChallenge,
            "tokenResponseFormat": tokenResponseFormat,
        ]
    }
}

extension OAuthClient {
    /// Returns a copy whose client assertions use the environment's clock and randomness, and the discovered issuer as
    /// audience if none was set.
    fileprivate func using(
        _ environment: IdentityEnvironment, at metadata: AuthorizationServerMetadata
    ) -> OAuthClient {
        func same(_ assertion: ClientAssertion) -> ClientAssertion {
            assertion.using(random: environment.random, time: environment.time, audience: metadata.issuer)
        }
        var client = self
        switch authentication {
        case .privateKeyJWT(let assertion): client.authentication = .privateKeyJWT(same(assertion))
        case .clientSecretJWT(let assertion): client.authentication = .clientSecretJWT(same(assertion))
        case .signedSecret(let assertion): client.authentication = .signedSecret(same(assertion))
        case .none, .clientSecretBasic, .clientSecretPost, .assertion: break
        }
        return client
    }
}
