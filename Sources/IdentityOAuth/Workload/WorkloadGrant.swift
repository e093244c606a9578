import IdentityKit

/// The grant by which a program gets its access tokens without a person.
public enum WorkloadGrant: Sendable {
    /// The program's own credentials (RFC 6749 section 4.4): the client's secret or key, or a platform's token in place
    /// of the secret or key (RFC 7523 section 2.2).
    case clientCredentials(PlatformToken? = nil)
    /// A platform's token as an assertion (RFC 7523 section 2.1).
    case jwtBearer(PlatformToken)
    /// A token that the client signs with the key of its `private_key_jwt` authentication (RFC 7523 section 2.1). The
    /// request has no other client authentication and no `client_id`.
    /// - Parameters:
    ///   - subject: the subject of the access token; `nil` for the client.
    ///   - claims: additional claims that the server requires.
    case signedJWT(subject: String? = nil, claims: [String: JSONValue] = [:])
    /// The exchange of a platform's token (RFC 8693 section 2.1).
    /// - Parameters:
    ///   - token: the platform's token.
    ///   - type: the kind of the platform's token.
    ///   - requestedType: the kind of token to issue; `nil` leaves it to the server.
    case tokenExchange(
        PlatformToken, type: TokenTypeIdentifier = .jwt, requesting: TokenTypeIdentifier? = nil)
    /// An assertion by which the server of another configured provider vouches for an account (Identity Assertion JWT
    /// Authorization Grant). The assertion is sent once and never stored.
    /// - Parameters:
    ///   - provider: the name of the other provider.
    ///   - account: the identifier of the account at that provider; `nil` for the account that a silent lookup finds.
    case identityAssertion(provider: String, account: String? = nil)

    /// The platform's token that the grant sends; `nil` for a grant without one.
    var platformToken: PlatformToken? {
        switch self {
        case .clientCredentials(let token): token
        case .jwtBearer(let token), .tokenExchange(let token, _, _): token
        case .signedJWT, .identityAssertion: nil
        }
    }

    /// Gets the token or assertion that the grant needs, and sends the grant to the token endpoint.
    /// - Parameters:
    ///   - party: the client at the server.
    ///   - scopes: the requested scopes.
    ///   - audience: the value of the parameter `audience`, for servers that need it; `nil` leaves the parameter out.
    ///   - environment: the variables for the platform's token, the network, and the other providers.
    /// - Throws: `PlatformTokenError`, `MalformedTokenError`, ``OAuthError``, `RandomnessError`, `CancellationError`,
    ///   or what the transport throws; for an identity assertion also `MissingAssertionProviderError`,
    ///   ``/IdentityCore/SessionError`` or another error of the other provider.
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

extension WorkloadGrant: Reticent {
    /// Shows the kind of the grant and the source of its token, but no token. Of claims, only the names are shown.
    package var shown: KeyValuePairs<String, Any> {
        switch self {
        case .clientCredentials(let token): ["clientCredentials": token?.source as Any]
        case .jwtBearer(let token): ["jwtBearer": token.source]
        case .signedJWT(let subject, let claims):
            ["signedJWT": subject as Any, "claims": claims.namesAlone]
        case .tokenExchange(let token, let type, _):
            ["tokenExchange": token.source, "type": type.rawValue]
        case .identityAssertion(let provider, _): ["identityAssertion": provider]
        }
    }
}
