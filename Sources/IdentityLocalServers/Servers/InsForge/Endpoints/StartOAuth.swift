import Foundation
import IdentityKit

// The start of an OAuth sign-in: the app gets the address to open in a browser.

extension InsForgeCall {
    func startOAuth() throws -> LocalResponse {
        let name = parameter("provider")
        guard InsForgeOAuthProviders.builtInNames.contains(name) else {
            throw InsForgeServerError.unsupportedProvider(name)
        }
        let start = try oauthStart()
        guard !InsForgeOAuthProviders.unimplementedNames.contains(name) else {
            throw InsForgeServerError(
                501, "AUTH_UNSUPPORTED_PROVIDER", "OAuth provider '\(name)' is not implemented yet.")
        }
        guard backend.providers.builtIn.contains(name) else {
            throw InsForgeServerError(
                500, "AUTH_OAUTH_CONFIG_ERROR",
                "\(name) OAuth is not properly configured. Please check your oauth configurations.")
        }
        return .insForge(["authUrl": .string(try address(of: name, start))])
    }

    /// Returns the address that starts a sign-in at the built-in provider `name`. After the sign-in, the browser goes to
    /// `redirectURI`.
    func providerAddress(_ name: String, redirectURI: String, codeChallenge: String) throws -> String {
        try address(of: name, OAuthStart(redirectURI: redirectURI, codeChallenge: codeChallenge))
    }

    /// `GET /api/auth/oauth/custom/:key`: returns the address to open in a browser. A custom provider that is not
    /// configured gives `INTERNAL_ERROR`, unlike a built-in provider, for which `startOAuth()` gives
    /// `AUTH_OAUTH_CONFIG_ERROR`.
    func startCustomOAuth() throws -> LocalResponse {
        let key = try customKey()
        let start = try oauthStart()
        guard let provider = backend.providers.custom(key) else {
            throw InsForgeServerError.internalError("Custom OAuth provider \(key) is not configured.")
        }
        // The local server sends no requests, so it cannot fetch the discovery document of another server.
        if let endpoint = provider.discoveryEndpoint, !endpoint.hasPrefix(backend.origin + "/") {
            throw InsForgeServerError.internalError("Failed to fetch discovery document for \(key)")
        }
        let address = address(
            [
                "client_id": provider.clientID,
                "redirect_uri": "\(backend.origin)/api/auth/oauth/custom/\(key)/callback",
                "response_type": "code",
                "scope": "openid profile email",
                "state": try state(of: start, provider: key),
                "code_challenge_method": "S256",
                // The provider gets the server's own challenge. The app's challenge is in the state.
                "code_challenge": LocalIdentifiers.base64URL(byteCount: 32),
            ], start)
        return .insForge(["authUrl": .string(address)])
    }

    private func oauthStart() throws -> OAuthStart {
        var fields = InsForgeFields(query: request.query)
        let start = OAuthStart(
            redirectURI: fields.string("redirect_uri", missing: "Redirect URI is required", .url),
            codeChallenge: fields.proofKey("code_challenge", label: "Code challenge"),
            extras: fields.otherStrings(besides: ["redirect_uri", "code_challenge"]))
        try fields.check()
        try backend.requireAllowed(redirect: start.redirectURI)
        return start
    }

    /// Returns the `state` token, which carries the provider, the redirect URI and the code challenge to the callback.
    private func state(of start: OAuthStart, provider: String) throws -> String {
        try backend.tokens.hourToken([
            "provider": .string(provider), "redirectUri": .string(start.redirectURI),
            "codeChallenge": .string(start.codeChallenge),
            "createdAt": .integer(Int64(backend.time.now.timeIntervalSince1970 * 1000)),
        ])
    }

    /// Returns the address of the authorization request to the built-in provider `name`.
    private func address(of name: String, _ start: OAuthStart) throws -> String {
        address(
            [
                "client_id": "local-client",
                "redirect_uri": "\(backend.origin)/api/auth/oauth/\(name)/callback",
                "response_type": "code",
                "scope": "openid email profile",
                "state": try state(of: start, provider: name),
            ], start)
    }

    /// Returns the fake provider's address with the server's parameters and the app's other parameters. If the server and the
    /// app set the same parameter, the server's value is sent.
    private func address(_ parameters: KeyValuePairs<String, String>, _ start: OAuthStart) -> String {
        let own = Set(parameters.map(\.key))
        let extras = start.extras.filter { !own.contains($0.key) }.sorted { $0.key < $1.key }
        let query = (parameters.map { ($0.key, $0.value) } + extras.map { ($0.key, $0.value) })
        return backend.origin + FakeIdentityProvider.path + "?" + WebURL.query(query)
    }

    func customKey() throws -> String {
        let key = parameter("key")
        guard InsForgeOAuthProviders.isKey(key) else {
            throw InsForgeServerError.invalidInput("Invalid custom OAuth key")
        }
        return key
    }
}

private struct OAuthStart {
    let redirectURI: String
    let codeChallenge: String
    /// The app's other parameters, which the server passes on to the provider.
    var extras: [String: String] = [:]
}

extension InsForgeServerError {
    static func unsupportedProvider(_ name: String) -> InsForgeServerError {
        .invalidInput(
            "Unsupported OAuth provider: \(name). Supported providers: "
                + InsForgeOAuthProviders.builtInNames.joined(separator: ", "))
    }
}
