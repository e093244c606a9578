import IdentityKit

/// How a program gets its access tokens, without a person.
public enum WorkloadGrant: Sendable {
    /// By its own credentials (RFC 6749 section 4.4): the client's secret or key, or a platform's token in their place
    /// (RFC 7523 section 2.2).
    case clientCredentials(PlatformToken? = nil)
    /// By a platform's token (RFC 7523 section 2.1).
    case jwtBearer(PlatformToken)
    /// By a token that the client signs with its key (RFC 7523 section 2.1). The client says nothing else about itself.
    /// - Parameters:
    ///   - subject: whom the access token is about; `nil` for the client.
    ///   - claims: what the server wants to be told in the token besides.
    case signedJWT(subject: String? = nil, claims: [String: JSONValue] = [:])
    /// By a platform's token, which is exchanged (RFC 8693 section 2.1).
    /// - Parameters:
    ///   - token: the platform's token.
    ///   - type: what kind of token it is.
    ///   - requestedType: what kind of token is wanted; `nil` leaves it to the server.
    case tokenExchange(
        PlatformToken, type: TokenTypeIdentifier = .jwt, requesting: TokenTypeIdentifier? = nil)
    /// As a person who is signed in with another provider of the configuration, whose server vouches for them (Identity
    /// Assertion JWT Authorization Grant). What it issues is sent once and never stored.
    /// - Parameters:
    ///   - provider: the name of the other provider.
    ///   - account: the account there; `nil` for the one that it finds by itself.
    case identityAssertion(provider: String, account: String? = nil)

    /// The platform's token that it needs; `nil` for none.
    var platformToken: PlatformToken? {
        switch self {
        case .clientCredentials(let token): token
        case .jwtBearer(let token), .tokenExchange(let token, _, _): token
        case .signedJWT, .identityAssertion: nil
        }
    }

    /// Sends the grant.
    /// - Parameters:
    ///   - party: the client at the server.
    ///   - scopes: what is asked for.
    ///   - audience: the service that the access token is for, where the server calls it so.
    ///   - environment: the platform's variables, and the network.
    /// - Throws: `PlatformTokenError`, ``OAuthError``, or what the transport throws.
    func tokens(
        from party: RelyingParty, scopes: [String], audience: String?, in environment: IdentityEnvironment
    ) async throws -> TokenSet {
        var party = party
        if let audience { party.tokenParameters.append(FormField("audience", audience)) }
        let client = party.client
        func read(_ token: PlatformToken) async throws -> Secret {
            try await token.token(for: party.metadata.issuer, client.transportSecurity, in: environment)
        }
        switch self {
        case .clientCredentials(nil):
            return try await party.tokens(for: .clientCredentials(scopes: scopes))
        case .clientCredentials(let token?):
            var asserted = client
            asserted.authentication = .assertion(try await read(token))
            return try await party.acting(as: asserted).tokens(for: .clientCredentials(scopes: scopes))
        case .jwtBearer(let token):
            return try await party.tokens(for: .jwtBearer(read(token), scopes: scopes))
        case .signedJWT(let subject, let claims):
            guard case .privateKeyJWT(let assertion) = client.authentication else {
                throw OAuthError.invalidSetting(.invalidParameter("assertion"))
            }
            let signed = try assertion.token(clientID: client.id, subject: subject, claims: claims)
            return try await party.acting(as: .unregistered(client.transportSecurity))
                .tokens(for: .jwtBearer(signed, scopes: scopes))
        case .tokenExchange(let token, let type, let requestedType):
            let grant = try TokenGrant.tokenExchange(
                subjectToken: await read(token), subjectTokenType: type, requestedTokenType: requestedType,
                scopes: scopes.isEmpty ? nil : scopes)
            return try await party.exchange(grant)
        case .identityAssertion(let name, let account):
            guard let provider = environment.providers.provider(name) else {
                throw MissingAssertionProviderError(name: name)
            }
            let assertion = try await provider.assertion(
                of: account, to: party.metadata.issuer, for: party.resource, scopes: scopes)
            return try await party.tokens(for: .jwtBearer(assertion, scopes: scopes))
        }
    }
}

extension WorkloadGrant: CustomReflectable {
    /// Shows the grant, and of claims the names alone.
    public var customMirror: Mirror {
        switch self {
        case .clientCredentials(let token): Mirror(self, showing: ["clientCredentials": token?.source as Any])
        case .jwtBearer(let token): Mirror(self, showing: ["jwtBearer": token.source])
        case .signedJWT(let subject, let claims):
            Mirror(self, showing: ["signedJWT": subject as Any, "claims": claims.namesAlone])
        case .tokenExchange(let token, let type, _):
            Mirror(self, showing: ["tokenExchange": token.source, "type": type.rawValue])
        case .identityAssertion(let provider, _): Mirror(self, showing: ["identityAssertion": provider])
        }
    }
}
