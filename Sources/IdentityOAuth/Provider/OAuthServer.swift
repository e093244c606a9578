import Foundation
import IdentityKit

/// An OAuth server and its client: the endpoints, what is asked for, and how the server identifies the person. An
/// ``OAuthSessionProvider`` makes a provider of it:
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

    /// The provider type that its sessions belong to, ``/IdentityKit/ProviderPlugin/type``.
    public internal(set) var type: String
    /// The issuer identifier or base URL that its sessions belong to.
    public internal(set) var backend: String
    /// The protected resource that tokens are for, and that alone they are sent to; `nil` for any (RFC 8707).
    public internal(set) var resource: URL?
    public var client: OAuthClient
    /// How the client gets an identifier at the server, instead of the one of ``client``; `nil` for a client that somebody
    /// registered.
    public var registration: ClientRegistration?
    /// How the server says who signed in.
    public var account: AccountSource
    /// The scopes of a session.
    public var scopes: [String] = []
    /// Members of ``scopes`` that nobody chose, and that are left out where the server says which it has and lacks
    /// them: some refuse a scope that they do not know.
    package var optionalScopes: Set<String> = []
    /// How a user signs in.
    public var method = SignInMethod.browser
    /// How the server takes a vendor's token from this device, in place of its page; `nil` where it takes none. Without
    /// such a ``/IdentityKit/NativeSignIn`` of the app there is the page.
    public var nativeSignIn: NativeTokenGrant?
    /// The address to which authorization responses are sent, exactly as registered. A sign-in in the browser needs it.
    public var redirectURI: URL?
    /// The address to which the browser returns after a sign-out at the server; `nil` to sign out without the browser.
    public var postLogoutRedirectURI: URL?
    /// Whether and how the server may talk to the person, by the scopes that are asked for.
    public var prompt: @Sendable (_ scopes: [String]) -> [Prompt] = { _ in [] }
    /// Parameters that the server wants in authorization requests, also those of devices, beyond the protocol. A name
    /// the protocol uses is refused when the request is made.
    public var authorizationParameters: [FormField] = []
    /// Parameters that the server wants in token requests beyond the protocol. A name the protocol uses is refused
    /// likewise.
    public var tokenParameters: [FormField] = []
    /// How the response of a sign-in travels back; `nil` leaves it to the server, which means the query. With
    /// ``ResponseMode/formPost`` a person's name and e-mail address are also taken from the member `user`, which Apple sends
    /// with the first sign-in alone.
    public var responseMode: ResponseMode?
    /// Parameters of every sign-in beyond the scopes.
    public var options = AuthorizationOptions()
    /// The separator of scopes in requests: a space (RFC 6749 section 3.3), or at some servers a comma.
    public var scopeSeparator = " "
    /// Whether codes are bound to their flow (RFC 7636). Without that, a code that somebody steals or injects is good
    /// (RFC 9700 section 2.1.1): only for a server that cannot do it.
    public var usesCodeChallenge = true
    /// How the server writes its token responses.
    public var tokenResponseFormat = TokenResponseFormat()
    /// Whether authorization requests are pushed (RFC 9126): `nil` to do so where the server has the endpoint for it, and to
    /// send a request that it refuses as a plain one; `true` for always; `false` for only where the server requires it.
    public var pushesAuthorizationRequests: Bool?
    /// Whether authorization requests are signed with the client's key although the server does not say that it requires it
    /// (RFC 9101).
    public var signsAuthorizationRequests = false
    /// Whether tokens are bound to a key (RFC 9449), one for each session. Requests then prove that key.
    public var bindsTokens = false
    /// How far the server's clock may differ from this machine's, beyond what its responses show.
    package var clockTolerance: Duration = .seconds(60)
    /// Whether a refresh token may be sent again when it is not known whether it was spent.
    public var replay = ReplayPolicy.never
    /// How access tokens for several resources are had with one refresh token.
    public var tokensByResource = TokensByResource.rfc8707

    /// Whether tokens are bound to a key where a protected resource and its server offer that.
    package var bindsOfferedTokens = true

    /// The authorization server of a resource, where it was given.
    var givenIssuer: URL?
    /// The addresses of endpoints that were given.
    var givenEndpoints: [URL] = []

    /// Asks, at first use, what the server says about itself; a protected resource may have refused a request before.
    var discover: @Sendable (IdentityEnvironment, ResourceRefusal?) async throws -> DiscoveredServer

    /// A server that is found by its issuer identifier (OpenID Connect Discovery, RFC 8414).
    /// - Parameters:
    ///   - type: the provider type.
    ///   - issuer: the issuer identifier, byte for byte as the server writes it.
    ///   - client: the client.
    ///   - account: how the server says who signed in.
    ///   - tenants: the issuers of a server with many tenants, which `issuer` then is not one of; `nil` for one issuer.
    ///   - endpoints: the addresses of endpoints that the server announces wrongly or not at all.
    public init(
        type: String, issuer: String, client: OAuthClient, account: AccountSource = .idToken,
        tenants: TenantIssuer? = nil,
        replacing endpoints: [AuthorizationServerMetadata.Endpoint: URL] = [:]
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

    /// A server whose endpoints are known.
    /// - Parameters:
    ///   - type: the provider type.
    ///   - backend: the base URL of the server.
    ///   - client: the client.
    ///   - endpoints: the addresses of its endpoints.
    ///   - account: how the server says who signed in.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` for an address that is not acceptable.
    public init(
        type: String, backend: String, client: OAuthClient, endpoints: [AuthorizationServerMetadata.Endpoint: URL],
        account: AccountSource
    ) throws {
        var members: [String: JSONValue] = ["issuer": .string(backend)]
        for (endpoint, url) in endpoints { members[endpoint.rawValue] = .string(url.absoluteString) }
        let metadata = try AuthorizationServerMetadata(members: members, transportSecurity: client.transportSecurity)
        self.init(type: type, backend: backend, client: client, account: account) { _ in DiscoveredServer(metadata) }
        givenEndpoints = Array(endpoints.values)
    }

    /// A server that says where its endpoints are in its own way.
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

    /// The environment, in which this server can name no private address but those that are configured, where it says so.
    func guarding(_ environment: IdentityEnvironment) -> IdentityEnvironment {
        environment.guarded(
            besides: [URL(string: backend), resource, givenIssuer].compactMap { $0 } + givenEndpoints
                + account.addresses)
    }

    /// The client at this server, which is asked about itself.
    /// - Parameter refusal: what a protected resource has said to a request without a token.
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
    /// Whether a protected resource takes bound tokens alone, or it and its server take them.
    var takesBoundTokens = false
    var tenants: TenantIssuer?
    /// Whether a protected resource named the server, so that nobody has looked at it before.
    var isOfResource = false
    /// The protected resource, as its document calls it, which may be a parent of the one that is configured.
    var resource: String?
    /// The challenge of the resource.
    var challenge: ResourceChallenge?
    /// A sentence for the person about who asks.
    var notice: String?

    package init(_ metadata: AuthorizationServerMetadata) {
        self.metadata = metadata
    }
}

extension OAuthServer: CustomReflectable {
    /// Shows no secret of the client, and of the extra parameters the names alone.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
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
            ])
    }
}

extension OAuthClient {
    /// Makes assertions by the clock of everything else, because they live for a minute, and for the server that was
    /// found, where none was named before.
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
