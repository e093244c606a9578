import Foundation
import IdentityKit

/// An authorization request with PKCE (RFC 6749 section 4.1.1, RFC 7636, OpenID Connect Core section 3.1.2.1).
///
/// Each has a `state`, a `nonce` and a code verifier of its own. Keep ``pending`` under its state, send the person to
/// ``url``, and read the callback with `AuthorizationResponse`.
public struct AuthorizationRequest: Sendable {
    /// The authorization endpoint to send the browser to.
    package var authorizationEndpoint: URL
    /// The record that the response is checked against.
    public private(set) var pending: PendingAuthorization

    /// Whether the server must, or must not, show its pages to the person (`prompt`).
    public var prompt: [Prompt] = []
    /// An ID token of the person who should be signed in.
    package var idTokenHint: Secret?
    /// The separator of scopes: a space (RFC 6749 section 3.3), or at some servers a comma.
    public var scopeSeparator = " "
    /// How the response travels back; `nil` leaves it to the server, which means the query.
    package var responseMode: ResponseMode?
    /// The thumbprint of the key the code will be bound to (RFC 9449 section 10).
    package var dpopKeyThumbprint: String?
    /// Signs the request with the client's key (RFC 9101); `nil` to send the parameters as they are.
    package var signer: ClientAssertion?
    /// Additional parameters for this server. Names that the protocol uses are refused.
    package var extraParameters: [FormField] = []

    /// Parameters beyond the scopes.
    public var options = AuthorizationOptions() {
        didSet {
            (pending.maxAge, pending.acrValues) = (options.maxAge, options.acrValues)
            pending.resources = options.resources.isEmpty ? nil : options.resources
        }
    }

    /// Whether the code is bound to this flow (RFC 7636). Without PKCE, anyone who knows the client's identifier can
    /// redeem a stolen code or inject one (RFC 9700 section 2.1.1), so turn this off only for a server that does not
    /// support it.
    package var usesCodeChallenge: Bool {
        get { pending.usesCodeChallenge }
        set { pending.usesCodeChallenge = newValue }
    }

    /// Binds the code to a key (RFC 9449 section 10). ``pending`` keeps it for the token request.
    package mutating func bind(to key: SigningKey) {
        dpopKeyThumbprint = key.publicKey.thumbprint
        pending.proofKey = key.jwk
    }

    /// The person who must come back, by the `sub` of the ID token, for a step-up. It is not sent; `idTokenHint`
    /// tells the server.
    public var subject: String? {
        get { pending.subject }
        set { pending.subject = newValue }
    }

    /// The additional resource that this flow is for; `nil` for the session's own authorization.
    var apart: String? {
        get { pending.apart }
        set { pending.apart = newValue }
    }

    /// Issuer of the server that the person is sent to.
    public var issuer: String? { pending.issuer }
    public var clientID: String { pending.clientID }
    /// The address at which the response arrives; `nil` if only the server knows it.
    public var redirectURI: URL? { pending.redirectURI }
    /// Names of parameters at this server, such as that of the client identifier.
    private let requestFormat: RequestFormat
    /// The scopes asked for.
    public var scopes: [String] { pending.scopes }
    /// Unguessable identifier of the flow, which the response repeats.
    public var state: String { pending.state }
    /// The nonce that the ID token must contain.
    package var nonce: String { pending.nonce }
    /// The public half of the code verifier.
    package var codeChallenge: String { pending.codeVerifier.codeChallenge }

    /// Starts a flow.
    /// - Parameters:
    ///   - client: the client.
    ///   - authorizationEndpoint: where the browser goes; its own query is kept.
    ///   - redirectURI: where the response arrives, exactly as it is registered.
    ///   - scopes: what is asked for.
    ///   - issuer: the server's issuer identifier, if it has one.
    ///   - requiresIssuer: whether the server promised to name itself in the response (RFC 9207).
    ///   - lifetime: how long the response is waited for.
    ///   - random: where `state`, `nonce` and code verifier come from.
    ///   - time: the clock.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for an endpoint or redirect URI that cannot be used,
    ///   ``/IdentityCore/RandomnessError``.
    package init(
        client: OAuthClient, authorizationEndpoint: URL, redirectURI: URL, scopes: [String], issuer: String? = nil,
        requiresIssuer: Bool = false, lifetime: Duration = .seconds(600), random: RandomSource = .system,
        time: TimeSource = .system
    ) throws {
        try self.init(
            client: client, authorizationEndpoint: authorizationEndpoint, returningTo: redirectURI, scopes: scopes,
            issuer: issuer, requiresIssuer: requiresIssuer, lifetime: lifetime, random: random, time: time)
    }

    /// Starts a flow, with an optional redirect URI.
    /// - Parameter redirectURI: where the response arrives; `nil` to leave it to a server that takes the only address that
    ///   is registered (RFC 6749 section 3.1.2.3).
    /// - Throws: as the public initializer.
    package init(
        client: OAuthClient, authorizationEndpoint: URL, returningTo redirectURI: URL?, scopes: [String],
        issuer: String? = nil, requiresIssuer: Bool = false, lifetime: Duration = .seconds(600),
        random: RandomSource = .system, time: TimeSource = .system
    ) throws {
        try client.transportSecurity.require(authorizationEndpoint)
        try redirectURI.map(Self.requireUsable)
        let now = time.now
        self.authorizationEndpoint = authorizationEndpoint
        requestFormat = client.requestFormat
        pending = PendingAuthorization(
            state: Base64URL.encode(try random.bytes(32)),
            nonce: Base64URL.encode(try random.bytes(32)),
            codeVerifier: try CodeVerifier(random: random),
            redirectURI: redirectURI, issuer: issuer, requiresIssuer: requiresIssuer, clientID: client.id,
            scopes: scopes, maxAge: nil, acrValues: [],
            createdAt: now, expiresAt: now + TimeInterval(lifetime.components.seconds)
        )
    }

    /// Starts a flow at the server that `metadata` describes.
    /// - Throws: as the other initializer, and ``OAuthError/invalidMetadata(_:)`` without an authorization endpoint.
    package init(
        client: OAuthClient, metadata: AuthorizationServerMetadata, redirectURI: URL, scopes: [String],
        lifetime: Duration = .seconds(600), random: RandomSource = .system, time: TimeSource = .system
    ) throws {
        try self.init(
            client: client, metadata: metadata, returningTo: redirectURI, scopes: scopes, lifetime: lifetime,
            random: random, time: time)
    }

    /// Starts a flow at the server that `metadata` describes, with an optional redirect URI.
    /// - Parameter redirectURI: as in the other initializer of this package.
    /// - Throws: as the public initializer.
    package init(
        client: OAuthClient, metadata: AuthorizationServerMetadata, returningTo redirectURI: URL?, scopes: [String],
        lifetime: Duration = .seconds(600), random: RandomSource = .system, time: TimeSource = .system
    ) throws {
        try self.init(
            client: client, authorizationEndpoint: metadata.endpoint(.authorization),
            returningTo: redirectURI, scopes: scopes, issuer: metadata.issuer,
            requiresIssuer: metadata.sendsIssuerInAuthorizationResponse, lifetime: lifetime, random: random,
            time: time)
    }

    /// The address to open in the browser.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when an option cannot be sent or an extra parameter overrides one of
    ///   the protocol.
    public var url: URL {
        get throws { try url(with: sentParameters) }
    }

    var sentParameters: [FormField] {
        get throws { try signer.map { try RequestObject.parameters(of: self, signedBy: $0) } ?? parameters }
    }

    /// The parameters, in the order they are sent.
    /// - Throws: as ``url``.
    public var parameters: [FormField] {
        get throws {
            let fields = try FormField.list([
                "response_type": "code",
                "client_id": clientID,
                "redirect_uri": redirectURI?.absoluteString,
                "scope": scopeParameter(scopes, separator: scopeSeparator),
                "state": state,
                "nonce": nonce,
                "code_challenge": usesCodeChallenge ? codeChallenge : nil,
                "code_challenge_method": usesCodeChallenge ? CodeVerifier.codeChallengeMethod : nil,
                "response_mode": responseMode?.rawValue,
                "prompt": promptParameter(),
                "login_hint": options.loginHint,
                "id_token_hint": idTokenHint?.reveal(),
                "max_age": options.maxAge.map(String.init),
                "acr_values": Self.words("acr_values", options.acrValues),
                "ui_locales": Self.words("ui_locales", options.uiLocales),
                "audience": options.audience,
                "authorization_details": options.detailsParameter(),
                "dpop_jkt": dpopKeyThumbprint,
            ])
            try options.check()
            try requireUnreserved(extraParameters, beside: fields, reserved: Self.reservedParameters)
            return fields + options.resourceParameters + extraParameters
        }
    }

    /// The address with other parameters: the reference to a pushed request.
    func url(with fields: [FormField]) throws -> URL {
        try authorizationEndpoint.appending(requestFormat.named(fields))
    }

    /// Names of parameters that this type sets, and of those that change the meaning of a request, such as `request`.
    private static let reservedParameters = OAuthClient.reservedParameters.union([
        "response_type", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
        "response_mode", "prompt", "login_hint",
        "id_token_hint", "max_age", "acr_values", "ui_locales", "resource", "authorization_details", "dpop_jkt",
        "request",
        "request_uri",
    ])

    /// Checks that parameters may be added to any authorization request.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a name that the protocol uses.
    package static func checkExtraParameters(_ parameters: [FormField]) throws {
        try requireUnreserved(parameters, beside: [], reserved: reservedParameters)
    }

    private func promptParameter() throws -> String? {
        try Prompt.check(prompt)
        return try Self.words("prompt", prompt.map(\.rawValue))
    }

    /// The value of a parameter that is a space-separated list; `nil` for an empty list.
    static func words(_ name: String, _ values: [String]) throws -> String? {
        guard values.allSatisfy({ !$0.isEmpty && !$0.contains(" ") }) else {
            throw OAuthError.invalidSetting(.invalidParameter(name))
        }
        return values.isEmpty ? nil : values.joined(separator: " ")
    }

    /// Accepts `https`, an app's own scheme, and `http` on this machine (RFC 8252 sections 7.1 to 7.3, RFC 9700 section 2.6).
    private static func requireUsable(_ redirectURI: URL) throws {
        let parts = URLParts(redirectURI.absoluteString)
        guard let parts, parts.fragment == nil, !parts.hasUserInfo,
            parts.scheme != "http" || redirectURI.isLoopback
        else { throw OAuthError.invalidSetting(.invalidRedirectURI) }
    }
}
