import Foundation
import IdentityKit

/// A client at an OAuth or OpenID Connect server (OpenID Connect Core section 1.2). It starts sign-ins, exchanges
/// authorization codes for tokens, refreshes and revokes tokens, and verifies ID tokens.
package struct RelyingParty: Sendable {
    package let metadata: AuthorizationServerMetadata
    /// The client's identifier and authentication, and the format and security of its requests.
    package private(set) var client: OAuthClient
    package private(set) var validator: IDTokenValidator
    /// The server's published keys; `nil` for a server that publishes none, so that its ID tokens cannot be verified.
    package let keys: JWKSCache?
    /// The prover of the key that new tokens are bound to; `nil` for bearer tokens. With a key, bearer tokens in responses
    /// are refused (RFC 9449 section 5).
    package private(set) var dpop: DPoPProver?
    /// Whether the tokens of every session are bound to a key of that session (RFC 9449).
    var bindsTokens = false
    /// Additional parameters for every token request. Names that the protocol uses are refused.
    package var tokenParameters: [FormField] = []
    /// Whether authorization codes are bound to their flow by PKCE (RFC 7636). Without PKCE, a stolen or injected code can
    /// be used (RFC 9700 section 2.1.1), so turn this off only for a server that does not support PKCE.
    package var usesCodeChallenge = true
    /// Whether the server's metadata must list the code challenge method `S256`. If `false`, metadata without a list of methods
    /// is accepted too.
    var requiresAnnouncedCodeChallenge = false
    /// The issuers of a multi-tenant server; `nil` for a server with one issuer.
    package var tenants: TenantIssuer? {
        get { validator.tenants }
        set { validator.tenants = newValue }
    }
    var clockTolerance: Duration {
        get { validator.tolerance }
        set { validator.tolerance = newValue }
    }
    /// Whether to sign authorization requests with the client's key even if the server does not require it (RFC 9101).
    package var signsAuthorizationRequests = false
    /// The challenge of the protected resource that named the server; `nil` without a resource, or if it sent no challenge.
    var challenge: ResourceChallenge?
    /// A text for the person, shown before the sign-in. It names the protected resource and its authorization
    /// server. `nil` if the server was not found through a resource.
    var notice: String?
    /// The identifier by which the protected resource names itself in its metadata, sent in place of the configured identifier;
    /// `nil` to send the configured one.
    var resource: String?
    /// The scopes that the protected resource demands, used if no scopes are configured; `nil` if the server was not found
    /// through a resource.
    var discoveredScopes: [String]?
    /// The separator of scopes in requests: a space (RFC 6749 section 3.3), or at some servers a comma. Backchannel
    /// authentication requests always separate scopes by spaces.
    package var scopeSeparator = " "
    /// Deviations of the server's token responses from the RFCs.
    package var tokenResponseFormat = TokenResponseFormat()
    /// Whether the `sub` of an ID token identifies the account. Only then is it compared with the expected person.
    var idTokensNameAccounts = true

    let transport: any HTTPTransport
    private let random: RandomSource
    let time: TimeSource

    package init(
        metadata: AuthorizationServerMetadata, client: OAuthClient, transport: any HTTPTransport,
        random: RandomSource = .system, time: TimeSource = .system, dpop: DPoPProver? = nil
    ) {
        self.metadata = metadata
        self.client = client
        self.transport = transport
        self.random = random
        self.time = time
        self.dpop = dpop
        validator = IDTokenValidator(metadata: metadata, clientID: client.id)
        keys = metadata.jwksURI.map {
            JWKSCache(jwksURI: $0, transport: transport, transportSecurity: client.transportSecurity, time: time)
        }
    }

    func acting(as client: OAuthClient) -> RelyingParty {
        var party = self
        party.client = client
        party.client.requestFormat = self.client.requestFormat
        party.validator = IDTokenValidator(metadata: metadata, clientID: client.id)
        (party.tenants, party.clockTolerance) = (tenants, clockTolerance)
        return party
    }

    /// Returns a copy whose new tokens are bound to the key of `prover`.
    package func proving(_ prover: DPoPProver) -> RelyingParty {
        var party = self
        party.dpop = prover
        return party
    }

    func requireKeys() throws -> JWKSCache {
        guard let keys else {
            throw OAuthError.invalidMetadata(.missingEndpoint(member: "jwks_uri"))
        }
        return keys
    }

    /// Starts an authorization code flow. If the tokens will be bound to a key, the authorization code is bound to that key
    /// too (RFC 9449 section 10).
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when the server lacks an endpoint that the flow needs, its keys for
    ///   the scope `openid`, or the code challenge method `S256`; ``OAuthError/invalidSetting(_:)`` for an unusable
    ///   redirect URI, and for a client that cannot sign the request although it must be signed; `RandomnessError`.
    package func authorizationRequest(redirectURI: URL, scopes: [String]) throws -> AuthorizationRequest {
        try authorizationRequest(returningTo: redirectURI, scopes: scopes)
    }

    /// Starts an authorization code flow with an optional redirect URI.
    /// - Parameters:
    ///   - redirectURI: the address at which the response arrives; `nil` for the only registered one (RFC 6749 section
    ///     3.1.2.3).
    ///   - scopes: the scopes to ask for.
    /// - Throws: as ``authorizationRequest(redirectURI:scopes:)``.
    package func authorizationRequest(returningTo redirectURI: URL?, scopes: [String]) throws -> AuthorizationRequest {
        // Without a token endpoint the flow cannot be completed, so fail before the person signs in.
        _ = try metadata.endpoint(.token)
        try metadata.requireCodeChallenge(if: usesCodeChallenge, announced: requiresAnnouncedCodeChallenge)
        if needsIDToken(for: scopes) { _ = try metadata.endpoint(.jwks) }
        var request = try AuthorizationRequest(
            client: client, metadata: metadata, returningTo: redirectURI, scopes: scopes, random: random, time: time)
        if let dpop { request.bind(to: dpop.key) }
        request.usesCodeChallenge = usesCodeChallenge
        request.scopeSeparator = scopeSeparator
        if signsAuthorizationRequests || metadata.requiresSignedAuthorizationRequests {
            guard case .privateKeyJWT(let signer) = client.authentication else {
                throw OAuthError.invalidSetting(.unsignedRequest)
            }
            request.signer = signer
        }
        return request
    }

    /// Returns the address to open in the browser. A request that is pushed (RFC 9126) is sent to the server first, and the
    /// address then contains only a reference to it.
    /// - Parameters:
    ///   - request: the request.
    ///   - isPushed: `true` to push the request, `false` to push it only if the server requires that, `nil` to push it if the
    ///     server has the endpoint. With `nil`, a plain request follows if the pushed one is refused or its response cannot be
    ///     used, unless the server requires pushed requests.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    package func url(for request: AuthorizationRequest, pushed isPushed: Bool? = nil) async throws -> URL {
        let mustBePushed = isPushed == true || metadata.requiresPushedAuthorizationRequests
        guard mustBePushed || isPushed == nil && metadata.pushedAuthorizationRequestEndpoint != nil else {
            return try request.url
        }
        let endpoint = try metadata.endpoint(.pushedAuthorizationRequest)
        do {
            return try await PushedAuthorizationRequest(request, client: client, endpoint: endpoint, dpop: dpop)
                .send(using: transport)
        } catch OAuthError.refused where !mustBePushed {
            return try request.url
        } catch OAuthError.refused(let refusal) where !metadata.requiresPushedAuthorizationRequests {
            let advice =
                "The request was pushed because pushesAuthorizationRequests is true; without it a plain one is sent."
            throw OAuthError.refused(refusal.noting(advice))
        } catch OAuthError.invalidResponse where !mustBePushed {
            return try request.url
        }
    }

    /// Checks the callback, exchanges its authorization code for tokens, and verifies the ID token. With the scope `openid`,
    /// a response without an ID token is refused, unless ``tokenResponseFormat`` ignores ID tokens. A flow of another server
    /// or client is refused, so that no code reaches a server that did not issue it (RFC 9700 section 4.4).
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    package func redeem(_ callback: URL, for pending: PendingAuthorization) async throws -> TokenSet {
        guard started(pending) else { throw OAuthError.invalidCallback(.unknownFlow) }
        let code = try AuthorizationResponse(callbackURL: callback).authorizationCode(for: pending, at: time.now)
        try await fetchKeys(for: pending.scopes)
        let (response, sentAt) = try await exchange(code, of: pending)
        var expectation = IDTokenExpectation.signIn(pending, accessToken: response.accessToken)
        if !idTokensNameAccounts { expectation.subject = nil }
        let tokens = try await tokenSet(response, sentAt: sentAt, expecting: expectation)
        if tokens.idToken == nil, needsIDToken(for: pending.scopes) { throw OAuthError.invalidIDToken(.missing) }
        return tokens
    }

    /// Exchanges the authorization code for tokens. If the server refuses the code or its verifier, the error leaves out the
    /// server's description, which would not help: the person can only begin the sign-in again. GitHub's error
    /// `bad_verification_code` becomes `invalid_grant`.
    private func exchange(
        _ code: Secret, of pending: PendingAuthorization
    ) async throws -> (response: TokenEndpointResponse, sentAt: Date) {
        do {
            return try await send(.authorizationCode(code, pending: pending))
        } catch OAuthError.refused(let refusal) where [.invalidGrant, "bad_verification_code"].contains(refusal.error) {
            throw OAuthError.refused(
                ErrorResponse(error: .invalidGrant, status: refusal.status, retryAfter: refusal.retryAfter))
        }
    }

    /// Fetches the keys that verify the ID token of a sign-in with `scopes`, unless they are cached. Does nothing for a sign-in
    /// that need not bring an ID token. If this is called before the authorization code is sent, the code stays usable when the
    /// keys cannot be fetched.
    /// - Throws: ``OAuthError``, `CancellationError`, or what the transport throws.
    package func fetchKeys(for scopes: [String]) async throws {
        if needsIDToken(for: scopes) { _ = try await requireKeys().keys() }
    }

    /// Whether a sign-in with `scopes` must bring an ID token (OpenID Connect Core section 3.1.3.3).
    private func needsIDToken(for scopes: [String]) -> Bool {
        scopes.contains("openid") && !tokenResponseFormat.ignoresIDToken
    }

    /// Returns whether this client started a flow at this server. The client identifier and the issuer are compared byte for
    /// byte. The result is `false` for a flow without an issuer.
    package func started(_ pending: PendingAuthorization) -> Bool {
        pending.clientID.hasBytes(of: client.id) && pending.issuer?.hasBytes(of: metadata.issuer) == true
    }

    /// Starts a sign-in on another device (RFC 8628).
    /// - Parameters:
    ///   - scopes: the scopes to ask for.
    ///   - extraParameters: additional parameters. Names that the protocol uses are refused.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    package func authorizeDevice(
        scopes: [String], extraParameters: [FormField] = []
    ) async throws -> DeviceAuthorization {
        var request = DeviceAuthorizationRequest(
            deviceAuthorizationEndpoint: try metadata.endpoint(.deviceAuthorization), client: client,
            scopes: scopes)
        request.extraParameters = extraParameters
        request.scopeSeparator = scopeSeparator
        return try await request.send(using: transport, time: time)
    }

    /// Polls the token endpoint until the person has approved or refused the sign-in on another device, or the codes expire.
    /// - Parameters:
    ///   - authorization: the started sign-in.
    ///   - subject: the person whom an ID token in the response must identify, as in ``IDToken/person``; `nil` for any person.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    package func tokens(for authorization: DeviceAuthorization, subject: String? = nil) async throws -> TokenSet {
        try await tokens(
            for: .deviceCode(authorization.deviceCode, scopes: authorization.scopes),
            by: DevicePolling(authorization, startedAt: time.now), subject: subject)
    }

    /// Starts a sign-in that the person confirms on their own device (OpenID Connect CIBA Core section 7).
    /// - Parameters:
    ///   - person: the hint by which the server finds the person.
    ///   - scopes: the scopes to ask for; `openid` must be among them.
    ///   - bindingMessage: a text that both devices show, so that the person can compare them; `nil` for none.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    package func authorize(
        _ person: BackchannelHint, scopes: [String], bindingMessage: String? = nil
    ) async throws -> BackchannelAuthorization {
        try await BackchannelAuthorizationRequest(
            endpoint: metadata.backchannelEndpoint(), client: client, person: person, scopes: scopes,
            bindingMessage: bindingMessage
        ).send(using: transport, time: time)
    }

    /// Polls the token endpoint until the person has approved or refused the sign-in on their own device, or the request
    /// expires.
    /// - Parameters:
    ///   - authorization: the started sign-in.
    ///   - subject: the person whom an ID token in the response must identify, as in ``IDToken/person``; `nil` for any person.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    package func tokens(for authorization: BackchannelAuthorization, subject: String? = nil) async throws -> TokenSet {
        try await tokens(
            for: .backchannel(authorization.requestID, scopes: authorization.scopes),
            by: DevicePolling(authorization, startedAt: time.now), subject: subject)
    }

    private func tokens(
        for grant: TokenGrant, by polling: DevicePolling, subject: String?
    ) async throws -> TokenSet {
        let (response, sentAt) = try await polling.waitForTokens(
            by: try tokenRequest(grant), using: transport, time: time)
        try requireBinding(of: response)
        var expectation = IDTokenExpectation()
        expectation.accessToken = response.accessToken
        expectation.subject = idTokensNameAccounts ? subject : nil
        return try await tokenSet(response, sentAt: sentAt, expecting: expectation)
    }

    /// Refreshes tokens (OpenID Connect Core section 12). The refresh token may be spent even when this throws.
    ///
    /// An error is thrown if the new ID token has no signature or a wrong one, or is of another issuer, client, person
    /// or sign-in request. The response is then not for this session. If the ID token has another fault, or the
    /// server's keys cannot be fetched, only the ID token is dropped, and `TokenSet.droppedIDToken` is the reason.
    /// - Parameters:
    ///   - refreshToken: the refresh token.
    ///   - previousIDToken: the previous ID token of the session; `nil` if there is none.
    ///   - subject: the person of the session, as in ``IDToken/person``; `nil` if only the previous ID token identifies the
    ///     person.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    package func refresh(
        _ refreshToken: Secret, previousIDToken: Secret?, subject: String? = nil
    ) async throws -> TokenSet {
        let tokens: TokenSet
        do {
            tokens = try await requestRefresh(refreshToken, using: transport)
        } catch let unusable as UnusableAccessTokenError {
            throw unusable.reason
        }
        guard let pending = tokens.pendingVerification else { return tokens }
        return try await tokens.verified(
            RefreshedIDToken(pending, of: previousIDToken, accessToken: tokens.response.accessToken, subject: subject),
            by: self)
    }

    /// Revokes a token at the server's revocation endpoint (RFC 7009). If this throws, the token may still be valid.
    /// - Throws: ``OAuthError``, also when the server has no such endpoint, `RandomnessError`, `CancellationError`, or
    ///   what the transport throws.
    package func revoke(_ token: Secret, hint: TokenTypeHint) async throws {
        do {
            try await RevocationRequest(
                token: token, tokenTypeHint: hint, revocationEndpoint: metadata.endpoint(.revocation),
                client: client
            ).send(using: transport)
        } catch OAuthError.refused(let refusal) where refusal.error == .invalidToken && refusal.status == 400 {
            // The token is no longer valid. RFC 7009 section 2.2 calls that a success, and Google an error.
        }
    }

    /// Sends a refresh token without verifying the new ID token. The refresh token is then spent, so the caller stores the
    /// new tokens before it verifies the ID token.
    /// - Parameters:
    ///   - refreshToken: the refresh token.
    ///   - scopes: the scopes to ask for; `nil` for the granted ones.
    ///   - isBound: whether the session's tokens are bound to a key, so that a bearer token is refused.
    ///   - transport: sends the request.
    /// - Throws: ``OAuthError``, ``UnusableAccessTokenError``, `RandomnessError`, `CancellationError`, or what the
    ///   transport throws.
    func requestRefresh(
        _ refreshToken: Secret, scopes: [String]? = nil, isBound: Bool = false, using transport: any HTTPTransport
    ) async throws -> TokenSet {
        let sentAt = time.now
        let request = try tokenRequest(.refreshToken(refreshToken, scopes: scopes))
        let response = try await client.send(
            proving: dpop, using: transport, request.urlRequest, reading: request.read)
        do {
            try requireBinding(of: response, isBound: isBound)
        } catch let reason as OAuthError {
            throw UnusableAccessTokenError(reason, response.refreshToken, response.refreshTokenExpiresIn) ?? reason
        }
        let receivedAt = time.now
        let pending = response.idToken.map {
            PendingVerification(
                idToken: $0, sentAt: sentAt, receivedAt: receivedAt, serverDate: response.serverDate)
        }
        return TokenSet(
            response: response, idToken: nil, sentAt: sentAt, receivedAt: receivedAt, proofKey: proofKey(of: response),
            pendingVerification: pending)
    }

    /// Requests tokens by a grant that signs in no person. An ID token in the response is ignored.
    /// - Parameters:
    ///   - grant: the grant to send.
    ///   - transport: sends the request; `nil` for the relying party's own transport.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    func tokens(for grant: TokenGrant, using transport: (any HTTPTransport)? = nil) async throws -> TokenSet {
        let (response, sentAt) = try await send(grant, using: transport)
        return TokenSet(
            response: response, idToken: nil, sentAt: sentAt, receivedAt: time.now, proofKey: proofKey(of: response))
    }

    private func send(
        _ grant: TokenGrant, using other: (any HTTPTransport)? = nil
    ) async throws -> (TokenEndpointResponse, sentAt: Date) {
        let sentAt = time.now
        let response = try await tokenRequest(grant).send(using: other ?? transport)
        try requireBinding(of: response)
        return (response, sentAt)
    }

    private func tokenRequest(_ grant: TokenGrant) throws -> TokenRequest {
        var request = TokenRequest(
            grant, tokenEndpoint: try metadata.endpoint(.token), client: client, extraParameters: tokenParameters,
            dpop: dpop, responseFormat: tokenResponseFormat)
        request.scopeSeparator = scopeSeparator
        return request
    }

    /// Refuses an access token of another type than `DPoP` if the request proved a key, or the session's tokens are bound to
    /// one (`isBound`). A refresh may leave out the token type, because the session then keeps its type.
    private func requireBinding(of response: TokenEndpointResponse, isBound: Bool = false) throws {
        guard dpop != nil || isBound, let type = response.tokenType, type != .dpop else { return }
        throw OAuthError.invalidResponse(
            .unsupportedTokenType(type.rawValue), host: metadata.tokenEndpoint?.host ?? metadata.issuer)
    }

    private func proofKey(of response: TokenEndpointResponse) -> Secret? {
        response.tokenType == .dpop ? dpop?.key.jwk : nil
    }

    private func tokenSet(
        _ response: TokenEndpointResponse, sentAt: Date, expecting expectation: IDTokenExpectation
    ) async throws -> TokenSet {
        let receivedAt = time.now
        guard let encoded = response.idToken else {
            return TokenSet(
                response: response, idToken: nil, sentAt: sentAt, receivedAt: receivedAt,
                proofKey: proofKey(of: response))
        }
        let keys = try requireKeys()
        let idToken = try await validator.validate(
            received: encoded, keys: keys, expecting: expectation, serverDate: response.serverDate, sentAt: sentAt,
            receivedAt: receivedAt)
        return TokenSet(
            response: response, idToken: idToken, sentAt: sentAt, receivedAt: receivedAt,
            proofKey: proofKey(of: response))
    }
}
