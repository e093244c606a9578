import Foundation
import IdentityKit

/// An authorization request with PKCE (RFC 6749 section 4.1.1, RFC 7636, OpenID Connect Core section 3.1.2.1).
///
/// Each request has its own `state`, `nonce` and code verifier. Store ``pending`` under the `state`, open ``url`` in a browser,
/// and read the callback with `AuthorizationResponse`.
package struct AuthorizationRequest: Sendable {
    /// The server's authorization endpoint, without the parameters of this request.
    package var authorizationEndpoint: URL
    /// The record of this flow, against which the response is checked.
    package private(set) var pending: PendingAuthorization

    /// The pages that the server must show, such as the sign-in page even if the person has a session at the server, or
    /// ``Prompt/none`` for no page at all. Empty to leave the choice to the server.
    package var prompt: [Prompt] = []
    /// An earlier ID token of the person who should sign in (`id_token_hint`).
    package var idTokenHint: Secret?
    /// The separator of scopes: a space (RFC 6749 section 3.3), or a comma at some servers.
    package var scopeSeparator = " "
    /// The method by which the server returns the response; `nil` for the default of the authorization code flow, the
    /// query of the redirect URI.
    package var responseMode: ResponseMode?
    /// The thumbprint of the key that the server binds the authorization code to (`dpop_jkt`, RFC 9449 section 10);
    /// `nil` for none.
    package var dpopKeyThumbprint: String?
    /// Signs the request with the client's key (RFC 9101); `nil` to send the parameters as they are.
    package var signer: ClientAssertion?
    /// Additional parameters that this server understands. ``url`` throws if one has the name of a parameter of the protocol.
    package var extraParameters: [FormField] = []

    /// Optional parameters besides the scopes. The greatest age, the authentication classes and the resources are
    /// copied to ``pending``, against which the response is checked.
    package var options = AuthorizationOptions() {
        didSet {
            (pending.maxAge, pending.acrValues) = (options.maxAge, options.acrValues)
            pending.resources = options.resources.isEmpty ? nil : options.resources
        }
    }

    /// Whether PKCE binds the authorization code to this flow (RFC 7636). Turn PKCE off only for a server that does not
    /// support it. Without PKCE, anyone who knows the client's identifier can redeem a stolen code or inject one (RFC
    /// 9700 section 2.1.1).
    package var usesCodeChallenge: Bool {
        get { pending.usesCodeChallenge }
        set { pending.usesCodeChallenge = newValue }
    }

    /// Binds the authorization code to a key (RFC 9449 section 10). ``pending`` keeps the private key for the token
    /// request.
    package mutating func bind(to key: SigningKey) {
        dpopKeyThumbprint = key.publicKey.thumbprint
        pending.proofKey = key.jwk
    }

    /// The identifier of the person who must sign in, usually the `sub` of the ID token; `nil` for any person. Set for a
    /// step-up, which extends an existing session. The request does not contain the identifier. An `idTokenHint` tells the
    /// server which person is meant.
    package var subject: String? {
        get { pending.subject }
        set { pending.subject = newValue }
    }

    /// The resource for which this flow requests tokens that are added to an existing session; `nil` if the flow requests the
    /// session's main tokens.
    var apart: String? {
        get { pending.apart }
        set { pending.apart = newValue }
    }

    /// The issuer identifier of the server; `nil` if the server has none.
    package var issuer: String? { pending.issuer }
    package var clientID: String { pending.clientID }
    /// The address at which the response arrives; `nil` if the request names none and the server uses the registered one.
    package var redirectURI: URL? { pending.redirectURI }
    /// The server's names for parameters, such as for the client identifier.
    private let requestFormat: RequestFormat
    /// The requested scopes, in the order of the request.
    package var scopes: [String] { pending.scopes }
    /// The unguessable identifier of the flow, which the response repeats.
    package var state: String { pending.state }
    /// The nonce that the ID token must contain.
    package var nonce: String { pending.nonce }
    /// The hash of the code verifier, which the request contains instead of the verifier (RFC 7636 section 4.2).
    package var codeChallenge: String { pending.codeVerifier.codeChallenge }

    /// Starts a flow.
    /// - Parameters:
    ///   - client: the client, which decides whether the endpoint may use `http`.
    ///   - authorizationEndpoint: the server's endpoint for the browser. A query that it has is kept.
    ///   - redirectURI: the address at which the response arrives, exactly as it is registered.
    ///   - scopes: the scopes to request.
    ///   - issuer: the server's issuer identifier; `nil` if it has none.
    ///   - requiresIssuer: whether the response must contain an `iss`, as the server's metadata can promise (RFC 9207).
    ///   - lifetime: the time after which the response is refused, rounded down to whole seconds.
    ///   - random: the source of `state`, `nonce` and code verifier.
    ///   - time: the clock that limits the lifetime of the flow.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for an endpoint or redirect URI that cannot be used,
    ///   `RandomnessError`.
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
    /// - Parameter redirectURI: the address at which the response arrives; `nil` to leave it out of the request. The
    ///   server then uses the only address that is registered (RFC 6749 section 3.1.2.3).
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for an endpoint or redirect URI that cannot be used,
    ///   `RandomnessError`.
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
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` if the metadata has no usable authorization endpoint,
    ///   ``OAuthError/invalidSetting(_:)`` for an endpoint or redirect URI that cannot be used, `RandomnessError`.
    package init(
        client: OAuthClient, metadata: AuthorizationServerMetadata, redirectURI: URL, scopes: [String],
        lifetime: Duration = .seconds(600), random: RandomSource = .system, time: TimeSource = .system
    ) throws {
        try self.init(
            client: client, metadata: metadata, returningTo: redirectURI, scopes: scopes, lifetime: lifetime,
            random: random, time: time)
    }

    /// Starts a flow at the server that `metadata` describes, with an optional redirect URI.
    /// - Parameter redirectURI: the address at which the response arrives; `nil` to leave it out of the request. The
    ///   server then uses the only address that is registered (RFC 6749 section 3.1.2.3).
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` if the metadata has no usable authorization endpoint,
    ///   ``OAuthError/invalidSetting(_:)`` for an endpoint or redirect URI that cannot be used, `RandomnessError`.
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

    /// The address to open in the browser. With a signer, every access creates another signature.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when a scope, a prompt or an option cannot be sent, when an extra
    ///   parameter has the name of a parameter of the protocol, when the endpoint has a fragment, when its own query
    ///   cannot be decoded or already has a parameter of the request, or when the signer's key cannot sign;
    ///   `RandomnessError` with a signer.
    package var url: URL {
        get throws { try url(with: sentParameters) }
    }

    var sentParameters: [FormField] {
        get throws { try signer.map { try RequestObject.parameters(of: self, signedBy: $0) } ?? parameters }
    }

    /// The parameters of the request, in the order in which an unsigned request sends them. A signed request contains them in
    /// a JWT.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when a scope, a prompt or an option cannot be sent, or when an extra
    ///   parameter has the name of a parameter of the protocol.
    package var parameters: [FormField] {
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

    /// Returns the address with `fields` as its parameters, such as the reference to a pushed request (RFC 9126 section 4).
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint has a fragment, when its own query cannot be
    ///   decoded or already has a parameter of the same name, or when a field already has the name that this server uses
    ///   instead of `client_id` or `client_secret`.
    func url(with fields: [FormField]) throws -> URL {
        try authorizationEndpoint.appending(requestFormat.named(fields))
    }

    /// Names that extra parameters must not have: those of the protocols, such as `scope`, and those that change the meaning
    /// of a request, such as `request`.
    private static let reservedParameters = OAuthClient.reservedParameters.union([
        "response_type", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
        "response_mode", "prompt", "login_hint",
        "id_token_hint", "max_age", "acr_values", "ui_locales", "resource", "authorization_details", "dpop_jkt",
        "request",
        "request_uri",
    ])

    /// Checks that an authorization request may contain extra parameters with these names.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for the name of a parameter of the protocol.
    package static func checkExtraParameters(_ parameters: [FormField]) throws {
        try requireUnreserved(parameters, beside: [], reserved: reservedParameters)
    }

    private func promptParameter() throws -> String? {
        try Prompt.check(prompt)
        return try Self.words("prompt", prompt.map(\.rawValue))
    }

    /// Returns the value of the parameter `name`, which is a space-separated list; `nil` for an empty list.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` if a value is empty or contains a space.
    static func words(_ name: String, _ values: [String]) throws -> String? {
        guard values.allSatisfy({ !$0.isEmpty && !$0.contains(" ") }) else {
            throw OAuthError.invalidSetting(.invalidParameter(name))
        }
        return values.isEmpty ? nil : values.joined(separator: " ")
    }

    /// Accepts a redirect URI with any scheme, such as `https` or an app's own, but with `http` only on this machine
    /// (RFC 8252 sections 7.1 to 7.3, RFC 9700 section 2.6).
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for `http` on another host, and for a redirect URI that is not
    ///   absolute, or has a fragment or user information.
    private static func requireUsable(_ redirectURI: URL) throws {
        let parts = URLParts(redirectURI.absoluteString)
        guard let parts, parts.fragment == nil, !parts.hasUserInfo,
            parts.scheme != "http" || redirectURI.isLoopback
        else { throw OAuthError.invalidSetting(.invalidRedirectURI) }
    }
}
