import Foundation
import IdentityKit

// Where an OAuth sign-in begins: the app gets the address to open in a browser (InsForge contract, OAuth init).

/// `GET /api/auth/oauth/:provider`.
struct StartOAuth: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        let name = call.parameter("provider")
        guard InsForgeOAuthProviders.builtInNames.contains(name) else {
            throw InsForgeFailure.unsupportedProvider(name)
        }
        let request = try OAuthStart(of: call)
        guard !InsForgeOAuthProviders.unimplementedNames.contains(name) else {
            throw InsForgeFailure(
                501, "AUTH_UNSUPPORTED_PROVIDER", "OAuth provider '\(name)' is not implemented yet.")
        }
        guard call.backend.providers.builtIn.contains(name) else {
            throw InsForgeFailure(
                500, "AUTH_OAUTH_CONFIG_ERROR",
                "\(name) OAuth is not properly configured. Please check your oauth configurations.")
        }
        return try request.answer(request.parameters(provider: name, in: call), in: call)
    }
}

extension InsForgeCall {
    /// Where a built-in provider asks for a sign-in that ends at `redirectURI`.
    func providerAddress(_ name: String, redirectURI: String, codeChallenge: String) throws -> String {
        let request = OAuthStart(redirectURI: redirectURI, codeChallenge: codeChallenge)
        return request.address(try request.parameters(provider: name, in: self), in: self)
    }
}

/// `GET /api/auth/oauth/custom/:key`. Unlike a built-in provider, a missing one is an internal error.
struct StartCustomOAuth: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        let key = try call.customKey()
        let request = try OAuthStart(of: call)
        guard let provider = call.backend.providers.custom(key) else {
            throw InsForgeFailure.internalError("Custom OAuth provider \(key) is not configured.")
        }
        // This server talks to nobody, so a provider elsewhere is one that cannot be reached.
        if let endpoint = provider.discoveryEndpoint, !endpoint.hasPrefix(call.origin + "/") {
            throw InsForgeFailure.internalError("Failed to fetch discovery document for \(key)")
        }
        return try request.answer(
            [
                "client_id": provider.clientID,
                "redirect_uri": call.origin + "/api/auth/oauth/custom/\(key)/callback",
                "response_type": "code",
                "scope": "openid profile email",
                "state": request.state(provider: key, in: call.backend),
                "code_challenge_method": "S256",
                // The server's own proof towards the provider; the app's is kept in the state.
                "code_challenge": LocalIdentifiers.base64URL(byteCount: 32),
            ], in: call)
    }
}

/// What an app asks for when it starts an OAuth sign-in.
private struct OAuthStart {
    let redirectURI: String
    let codeChallenge: String
    /// Parameters the server does not know, which it hands on to the provider.
    let extras: [String: String]

    init(redirectURI: String, codeChallenge: String) {
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        extras = [:]
    }

    init(of call: InsForgeCall) throws {
        var fields = InsForgeFields(query: call.request.query)
        redirectURI = fields.string("redirect_uri", missing: "Redirect URI is required", .url)
        codeChallenge = fields.proofKey("code_challenge", label: "Code challenge")
        extras = fields.otherStrings(besides: ["redirect_uri", "code_challenge"])
        try fields.check()
        try call.backend.requireAllowed(redirect: redirectURI)
    }

    /// All the server remembers of the sign-in: a token that comes back with the callback.
    func state(provider: String, in backend: InsForgeBackend) throws -> String {
        try backend.tokens.hourToken([
            "provider": .string(provider), "redirectUri": .string(redirectURI),
            "codeChallenge": .string(codeChallenge),
            "createdAt": .integer(Int64(backend.time.now.timeIntervalSince1970 * 1000)),
        ])
    }

    /// What the server asks a built-in provider.
    func parameters(provider name: String, in call: InsForgeCall) throws -> KeyValuePairs<String, String> {
        [
            "client_id": "local-client",
            "redirect_uri": call.origin + "/api/auth/oauth/\(name)/callback",
            "response_type": "code",
            "scope": "openid email profile",
            "state": try state(provider: name, in: call.backend),
        ]
    }

    func answer(_ parameters: KeyValuePairs<String, String>, in call: InsForgeCall) -> LocalResponse {
        .insForge(["authUrl": .string(address(parameters, in: call))])
    }

    /// The provider's address with the server's parameters, which win over the app's.
    func address(_ parameters: KeyValuePairs<String, String>, in call: InsForgeCall) -> String {
        var query = parameters.map { (name: $0.key, value: $0.value) }
        let own = Set(query.map(\.name))
        query += extras.filter { !own.contains($0.key) }.sorted { $0.key < $1.key }
            .map { (name: $0.key, value: $0.value) }
        let text = query.map { $0.name.formEncoded + "=" + $0.value.formEncoded }.joined(separator: "&")
        return call.origin + FakeIdentityProvider.path + "?" + text
    }
}

extension InsForgeCall {
    /// Scheme, host and port of this server.
    var origin: String { backend.origin.withLock { $0 } }

    /// The custom provider's key in the path.
    func customKey() throws -> String {
        let key = parameter("key")
        guard InsForgeOAuthProviders.isKey(key) else {
            throw InsForgeFailure.invalidInput("Invalid custom OAuth key")
        }
        return key
    }
}

extension InsForgeFailure {
    static func unsupportedProvider(_ name: String) -> InsForgeFailure {
        .invalidInput(
            "Unsupported OAuth provider: \(name). Supported providers: "
                + InsForgeOAuthProviders.builtInNames.joined(separator: ", "))
    }
}
