import Foundation
import IdentityKit
import IdentityOAuth

/// What a provider of the type `workload` needs to know: where the program's access tokens come from.
public struct WorkloadSettings: Sendable {
    /// Where the access tokens come from.
    public var source: WorkloadProvider.Source
    /// The name of the account; `nil` for the client's identifier, or else the provider's name.
    public var account: String?
    /// Authorities that the server's certificate may come from besides the system's. The plug-in gives them to the
    /// transport; for a provider made in code, `ProviderContext.trusting(_:)` does.
    public var trustedCertificates: TrustedCertificates?

    /// Settings made in code.
    public init(
        _ source: WorkloadProvider.Source, account: String? = nil, trustedCertificates: TrustedCertificates? = nil
    ) {
        (self.source, self.account, self.trustedCertificates) = (source, account, trustedCertificates)
    }
}

extension WorkloadSettings: Decodable {
    private enum CodingKeys: String, CodingKey {
        case issuer, grant, token, account, scopes, audience, resources, tokenParameters, tokenResponse, bindsTokens
        case endpoints, subject, claims, tokenType, requestedTokenType, trustedCertificates
        case clientID, clientSecret, clientKey
    }

    /// The grants by the words that end their names.
    private enum Grant: String, Decodable, CaseIterable {
        case clientCredentials = "client_credentials"
        case jwtBearer = "jwt-bearer"
        case tokenExchange = "token-exchange"
    }

    /// Reads either `token` alone, which is then the access token, or `issuer` and what the server's grant needs.
    ///
    /// `token` is the platform's: `{"file": path}`, `{"variable": name}` or `{"gitHubActions": {"audience": text}}`.
    ///
    /// `grant` is `client_credentials`, which is the only one without `token` and then the default, `jwt-bearer` or
    /// `token-exchange`. With `client_credentials` a `token` takes the place of the client's secret or key. With
    /// `jwt-bearer` and no `token` the client signs with its key a token about `subject`, with `claims`. A
    /// `token-exchange` says with `tokenType` what the token is, by default a JWT, and with `requestedTokenType` what is
    /// wanted.
    ///
    /// Optional are `account`, `scopes`, `audience`, `resources`, `tokenParameters`, `tokenResponse`, `bindsTokens`,
    /// `endpoints`, with which nothing is asked for when `token_endpoint` is among them, `trustedCertificates`, and the
    /// client as the type `oauth2` reads it.
    public init(from decoder: any Decoder) throws {
        let client = try ClientSettings(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let issuer =
            container.contains(.issuer)
            ? try container.decodeIssuer(forKey: .issuer, client.transportSecurity) : nil
        let grant = try container.decodeIfPresent(Grant.self, forKey: .grant)
        let platform = try container.decodeIfPresent(PlatformTokenSettings.self, forKey: .token)
        let server = try ServerSettings(from: decoder)
        account = try container.decodeTextIfPresent(forKey: .account)
        let signed = SignedToken(
            subject: try container.decodeIfPresent(String.self, forKey: .subject),
            claims: try container.decodeIfPresent([String: JSONValue].self, forKey: .claims) ?? [:])
        let exchange = Exchange(
            type: try container.decodeIfPresent(String.self, forKey: .tokenType),
            requestedType: try container.decodeIfPresent(String.self, forKey: .requestedTokenType))
        // On Linux this throws: what else is wrong comes first.
        let certificates = Result {
            try container.decodeIfPresent(TrustedCertificates.self, forKey: .trustedCertificates)
        }
        let token = try platform?.token(at: [CodingKeys.token])
        guard let issuer else {
            guard let token, grant == nil, client.id == nil else { throw Self.missing(.issuer) }
            source = .platform(token)
            trustedCertificates = try certificates.get()
            return
        }
        let known = try client.client(audience: issuer, orRegistering: true)
        source = .server(
            try server.server(issuer, known, at: CodingKeys.endpoints),
            try Self.grant(grant, token, signed, exchange, by: known))
        trustedCertificates = try certificates.get()
    }

    private struct SignedToken {
        let subject: String?
        let claims: [String: JSONValue]
    }

    private struct Exchange {
        let type: String?
        let requestedType: String?
    }

    private static func grant(
        _ grant: Grant?, _ token: PlatformToken?, _ signed: SignedToken, _ exchange: Exchange, by client: OAuthClient
    ) throws -> WorkloadGrant {
        switch (grant, token) {
        case (nil, nil), (.clientCredentials, nil):
            guard !client.id.isEmpty else { throw missing(.clientID) }
            guard client.authentication.method != .none else { throw missing(.clientSecret) }
            return .clientCredentials()
        case (.clientCredentials, let token?):
            guard !client.id.isEmpty else { throw missing(.clientID) }
            guard client.authentication.method == .none else {
                throw mistake(.token, "It takes the place of the client's secret or key. Give one of them.")
            }
            return .clientCredentials(token)
        case (.jwtBearer, nil):
            guard case .privateKeyJWT = client.authentication else { throw missing(.clientKey) }
            return .signedJWT(subject: signed.subject, claims: signed.claims)
        case (.jwtBearer, let token?): return .jwtBearer(token)
        case (.tokenExchange, nil): throw missing(.token)
        case (.tokenExchange, let token?):
            return .tokenExchange(
                token, type: exchange.type.map(TokenTypeIdentifier.init) ?? .jwt,
                requesting: exchange.requestedType.map(TokenTypeIdentifier.init))
        case (nil, _?): throw missing(.grant)
        }
    }

    private static func missing(_ key: CodingKeys) -> DecodingError {
        .keyNotFound(key, DecodingError.Context(codingPath: [], debugDescription: ""))
    }

    private static func mistake(_ key: CodingKeys, _ advice: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [key], debugDescription: advice))
    }
}

extension WorkloadSettings {
    /// What the server is told in every token request.
    private struct ServerSettings: Decodable {
        let scopes: [String]?
        let audience: String?
        let resources: [String]?
        let tokenParameters: [String: String]?
        let tokenResponse: TokenResponseFormat?
        let bindsTokens: Bool?
        let endpoints: EndpointSettings?

        /// The server: found by its issuer, or with a token endpoint that is given.
        /// - Throws: `DecodingError`.
        func server(_ issuer: String, _ client: OAuthClient, at key: any CodingKey) throws -> OAuthServer {
            func check(_ key: WorkloadSettings.CodingKeys, _ check: () throws -> Void) throws {
                do {
                    try check()
                } catch let error as OAuthError {
                    throw mistake(key, error.message)
                }
            }
            try SettingRules.check(scopes: scopes, at: WorkloadSettings.CodingKeys.scopes)
            try endpoints?.check(client.transportSecurity, at: [key])
            let given = endpoints?.endpoints ?? [:]
            var server =
                given[.token] == nil
                ? OAuthServer(type: WorkloadPlugin.type, issuer: issuer, client: client, replacing: given)
                : try OAuthServer(
                    type: WorkloadPlugin.type, backend: issuer, client: client, endpoints: given, account: .idToken)
            server.scopes = scopes ?? []
            server.options.audience = audience
            server.options.resources = resources ?? []
            server.tokenParameters = (tokenParameters ?? [:]).fields
            server.tokenResponseFormat = tokenResponse ?? TokenResponseFormat()
            server.bindsTokens = bindsTokens ?? false
            try check(.resources) { try server.options.check() }
            try check(.tokenParameters) { try TokenRequest.checkExtraParameters(server.tokenParameters) }
            return server
        }
    }
}

extension WorkloadSettings: CustomReflectable {
    /// Shows where the access tokens come from, without secrets.
    public var customMirror: Mirror { Mirror(self, showing: ["source": source, "account": account as Any]) }
}
