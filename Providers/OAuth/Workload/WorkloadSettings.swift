import Foundation
import IdentityKit
import IdentityOAuth

/// The settings of a provider of the type `workload`. The provider gets access tokens for a program without a person.
public struct WorkloadSettings: Sendable {
    /// The source of the access tokens: the platform, or an authorization server.
    public var source: WorkloadSource
    /// The name of the account; `nil` for the client's identifier. If there is none, the provider's name is used.
    public var account: String?
    /// Certificates to trust in addition to the system's: those of servers, or of authorities that issued a server's
    /// certificate. The plug-in passes them to the transport; for a provider made in code, use `ProviderContext.trusting(_:)`.
    public var trustedCertificates: TrustedCertificates?

    /// Creates settings in code, for a provider that no configuration describes.
    public init(_ source: WorkloadSource, account: String? = nil, trustedCertificates: TrustedCertificates? = nil) {
        (self.source, self.account, self.trustedCertificates) = (source, account, trustedCertificates)
    }
}

extension WorkloadSettings: Decodable {
    /// Reads the settings of a ``source``. If `token` is given without `issuer`, `resource`, `grant` and `clientID`, the
    /// platform's token itself is the access token. In every other case, `issuer` or `resource` is required, and so are the
    /// settings that the grant needs. The metadata of a `resource` names its authorization servers; if `issuer` is given too,
    /// it selects one of them.
    ///
    /// `token` is the platform's token: `{"file": path}`, `{"variable": name}` or `{"gitHubActions": {"audience": text}}`.
    ///
    /// `grant` is `client_credentials`, `jwt-bearer`, `token-exchange` or `identity-assertion`. Without `token` the
    /// default is `client_credentials`. With `client_credentials`, a `token` replaces the client's secret or key. With
    /// `jwt-bearer` and no `token`, the client signs a JWT with its key; the JWT contains `subject` and `claims`. For
    /// `token-exchange`, `tokenType` is the kind of `token`, by default a JWT, and `requestedTokenType` is the kind of token
    /// to issue. For `identity-assertion`, `identity` names another provider or one of its accounts. The server of that
    /// provider vouches for the account.
    ///
    /// Optional settings are `account`, `scopes`, `audience`, `resources`, `tokenParameters`, `tokenResponse`,
    /// `bindsTokens`, `endpoints`, `trustedCertificates`, and the settings of the client, as for the type `oauth2`.
    /// `endpoints` is refused together with `resource`. If it contains `token_endpoint`, no metadata is requested.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        let client = try ClientSettings(
            from: settings.adjusting { if $0.key == "clientSecret" { $0.isUsual = true } })
        let issuer: String? = try settings.readIfPresent(
            "issuer", .issuer(client.transportSecurity),
            means: "The issuer identifier of the server; without it token is the access token itself.",
            example: "https://id.example.com", isUsual: true)
        let resource: URL? = try settings.readIfPresent(
            "resource", .resource(client.transportSecurity),
            means: "A protected resource that names its server, in place of issuer or to choose it by issuer.",
            example: "https://api.example.com", with: ["issuer": .null])
        let grant = try GrantSettings(from: settings)
        let scopes: [String] = try settings.read(
            "scopes", .scopes, means: "The scopes of the access token.", example: ["reports"], default: [])
        var shared = OAuthServer(type: WorkloadPlugin.type, issuer: "", client: .unregistered())
        try shared.readTokenRequests(from: settings)
        let endpoints = try settings.endpoints(client.transportSecurity)
        account = try settings.readIfPresent(
            "account", .text,
            means: "The account's name; by default the client identifier, or else the provider's name.",
            example: "nightly-report")
        trustedCertificates = try settings.trustedCertificates()
        guard issuer != nil || resource != nil else {
            guard let token = grant.token, grant.name == nil, client.id == nil else {
                throw settings.missing("issuer")
            }
            source = .platform(token)
            return
        }
        let known = try client.client(audience: issuer ?? "", orRegistering: true)
        if resource != nil, !endpoints.isEmpty {
            throw settings.mistake("endpoints", "The resource names its server. Give one of them.")
        }
        var server = try Self.server(issuer, resource, known, endpoints).with(shared)
        server.options.resources = (resource.map { [$0.absoluteString] } ?? []) + server.options.resources
        server.scopes = scopes
        source = .server(server, try grant.grant(by: known))
    }

    private static func server(
        _ issuer: String?, _ resource: URL?, _ client: OAuthClient,
        _ endpoints: [ServerEndpoint: URL]
    ) throws -> OAuthServer {
        let type = WorkloadPlugin.type
        if let resource { return OAuthServer(type: type, resource: resource, client: client, issuer: issuer) }
        guard endpoints[.token] == nil else {
            return try OAuthServer(
                type: type, backend: issuer ?? "", client: client, endpoints: endpoints, account: .idToken)
        }
        return OAuthServer(type: type, issuer: issuer ?? "", client: client, replacing: endpoints)
    }
}

/// The settings that describe the grant.
private struct GrantSettings {
    let name: Name?
    let token: PlatformToken?
    private let subject: String?
    private let claims: [String: JSONValue]
    private let tokenType: String?
    private let requestedTokenType: String?
    private let identity: String?
    private let settings: SettingsReader

    /// The values of the setting `grant`. `jwt-bearer` and `token-exchange` are the last parts of the URNs of their
    /// grant types.
    enum Name: String, Decodable, CaseIterable {
        case clientCredentials = "client_credentials"
        case jwtBearer = "jwt-bearer"
        case tokenExchange = "token-exchange"
        case identityAssertion = "identity-assertion"
    }

    init(from settings: SettingsReader) throws {
        self.settings = settings
        name = try settings.readIfPresent(
            "grant", means: "How the server grants access; by default client_credentials, without a token.",
            example: "client_credentials")
        token = try settings.objectIfPresent(
            "token", means: "Where the platform puts the program's own token.", example: ["file": "/run/secrets/token"],
            with: ["grant": "jwt-bearer", "clientSecret": .null], PlatformToken.init)
        let signing: JSONValue = [
            "grant": "jwt-bearer", "clientSecret": .null, "clientKeyFile": "client-key.pem",
            "clientKeyID": "example-key",
        ]
        subject = try settings.readIfPresent(
            "subject", means: "Whom a token is about that the client signs, for jwt-bearer without a token.",
            example: "service@example.com", with: signing)
        claims = try settings.read(
            "claims", means: "More claims of the token that the client signs, for jwt-bearer without a token.",
            example: ["department": "research"], default: [:], with: signing)
        let exchange: JSONValue = ["grant": "token-exchange", "token": ["variable": "EXAMPLE_TOKEN"]]
        tokenType = try settings.readIfPresent(
            "tokenType", means: "What the token is, for token-exchange; by default a JWT.",
            example: "urn:ietf:params:oauth:token-type:id_token", with: exchange)
        requestedTokenType = try settings.readIfPresent(
            "requestedTokenType",
            means: "What is wanted for the token, for token-exchange; by default the server decides.",
            example: "urn:ietf:params:oauth:token-type:access_token", with: exchange)
        identity = try settings.readIfPresent(
            "identity", .text,
            means:
                "As whom the program acts, for identity-assertion: the name of another provider, or one of its accounts as `identity accounts` writes it.",
            example: "work", with: ["grant": "identity-assertion"])
    }

    func grant(by client: OAuthClient) throws -> WorkloadGrant {
        switch (name, token) {
        case (nil, nil), (.clientCredentials, nil):
            guard !client.id.isEmpty else { throw settings.missing("clientID") }
            guard client.authentication.method != .none else { throw settings.missing("clientSecret") }
            return .clientCredentials()
        case (.clientCredentials, let token?):
            guard !client.id.isEmpty else { throw settings.missing("clientID") }
            guard client.authentication.method == .none else {
                throw settings.mistake(
                    "token", "It takes the place of the client's secret or key. Give one of them.")
            }
            return .clientCredentials(token)
        case (.jwtBearer, nil):
            guard case .privateKeyJWT = client.authentication else { throw settings.missing("clientKey") }
            return .signedJWT(subject: subject, claims: claims)
        case (.jwtBearer, let token?): return .jwtBearer(token)
        case (.tokenExchange, nil): throw settings.missing("token")
        case (.tokenExchange, let token?):
            return .tokenExchange(
                token, type: tokenType.map(TokenTypeIdentifier.init) ?? .jwt,
                requesting: requestedTokenType.map(TokenTypeIdentifier.init))
        case (.identityAssertion, nil):
            guard let identity else { throw settings.missing("identity") }
            guard !client.id.isEmpty else { throw settings.missing("clientID") }
            let account = AccountID(id: identity)
            return .identityAssertion(provider: account?.realm ?? identity, account: account?.account)
        case (.identityAssertion, _?):
            throw settings.mistake("token", "identity names who it is about. Give one of them.")
        case (nil, _?): throw settings.missing("grant")
        }
    }
}

extension WorkloadSettings: Reticent {
    /// Shows the source of the access tokens and the account's name, without secrets.
    package var shown: KeyValuePairs<String, Any> { ["source": source, "account": account as Any] }
}
