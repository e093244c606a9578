import Foundation
import IdentityKit
import IdentityOAuth

extension InsForgeAPI {
    /// Sends `GET /api/auth/oauth/{provider}`, which starts an OAuth sign-in.
    /// - Parameter extras: parameters for the provider, such as `prompt` and `login_hint`. Reserved names are dropped.
    /// - Returns: the page to open in the browser.
    /// - Throws: ``InsForgeAuthError``, also for a page without TLS, or `CancellationError`.
    func authorizationURL(
        for provider: OAuthProviderKey, redirectURI: URL, codeChallenge: String, extras: [String: String] = [:]
    ) async throws -> URL {
        // The server forwards parameters that it does not know to the provider.
        let query =
            [FormField("redirect_uri", redirectURI.absoluteString), FormField("code_challenge", codeChallenge)]
            + extras.filter { !Self.reserved.contains($0.key) }.sorted { $0.key < $1.key }
            .map { FormField($0.key, $0.value) }
        let response: AuthorizationResponse = try await send(
            get("auth/oauth/" + provider.path, query), during: .startOAuth)
        guard let url = URL(string: response.authUrl), let host = url.host, !host.isEmpty else {
            throw InsForgeAuthError.unreadableResponse(status: 200)
        }
        switch url.scheme?.lowercased() {
        case "https": return url
        case "http" where ServerURL.isLoopback(host): return url
        default: throw InsForgeAuthError.oauth("the server named a sign-in page without TLS.")
        }
    }

    /// Returns the page to open, and the first of `redirectURIs` that the project allows. A project that lists exact
    /// addresses refuses an address with an additional query.
    /// - Parameter willAsk: called with each address before its request.
    func authorizationPage(
        for provider: OAuthProviderKey, redirectURIs: [URL], codeChallenge: String, extras: [String: String] = [:],
        willAsk: (URL) async -> Void = { _ in }
    ) async throws -> (page: URL, redirectURI: URL) {
        for redirectURI in redirectURIs {
            await willAsk(redirectURI)
            do {
                let page = try await authorizationURL(
                    for: provider, redirectURI: redirectURI, codeChallenge: codeChallenge, extras: extras)
                return (page, redirectURI)
            } catch InsForgeAuthError.invalidInput where redirectURI != redirectURIs.last {
                continue
            }
        }
        throw InsForgeAuthError.invalidInput("There is no address to return to.")
    }

    /// Names of parameters that the server or this library sets.
    private static let reserved: Set = [
        "redirect_uri", "code_challenge", "code_challenge_method", "client_type", "client_id", "response_type", "scope",
        "state",
    ]

    /// Sends `POST /api/auth/oauth/exchange`. The server accepts an authorization code only once, even if the exchange
    /// fails.
    func exchange(code: Secret, codeVerifier: Secret) async throws -> SessionResponse {
        try await send(
            call(
                "auth/oauth/exchange",
                ["code": .string(code.reveal()), "code_verifier": .string(codeVerifier.reveal())]),
            during: .exchange)
    }

    struct AuthorizationResponse: Decodable {
        let authUrl: String
    }

    /// Returns the address of the sign-in page of servers before March 2026, `{base}/auth/sign-in`.
    func hostedPage(redirectURI: String, codeChallenge: String?) -> URL {
        var query = [
            FormField("redirect", redirectURI), FormField("client_type", clientType.rawValue),
        ]
        if let codeChallenge { query.append(FormField("code_challenge", codeChallenge)) }
        let page = baseURL.appending("auth/sign-in")
        return URL(string: page.absoluteString + "?" + FormEncoding.encode(query)) ?? page
    }

    /// Returns whether the server has the page of ``hostedPage(redirectURI:codeChallenge:)``.
    /// - Throws: ``InsForgeAuthError`` if there is no response, or if the status is neither a success nor 404 or 410; or
    ///   `CancellationError`.
    func hasHostedPage() async throws -> Bool {
        let (body, response) = try await response(to: URLRequest(url: baseURL.appending("auth/sign-in")))
        switch response.statusCode {
        case 200..<300: return true
        case 404, 410: return false
        // Any other status may be that of a proxy or a firewall.
        default: throw InsForgeAuthError(body, response, during: .other)
        }
    }
}

/// Identifies one of a project's OAuth providers: a built-in one, or a custom one by its key.
enum OAuthProviderKey: Sendable, Hashable {
    case builtIn(OAuthProvider)
    case custom(String)

    /// Identifies a custom provider.
    /// - Throws: ``InsForgeAuthError/invalidInput(_:)`` for an invalid key, because the key becomes part of a path.
    init(custom key: String) throws {
        guard key.wholeMatch(of: /[a-z0-9_\-]{1,64}/) != nil else {
            throw InsForgeAuthError.invalidInput(
                "The key of an OAuth provider has 1 to 64 lower-case letters, digits, hyphens and underscores.")
        }
        self = .custom(key)
    }

    var path: String {
        switch self {
        case .builtIn(let provider): provider.rawValue
        case .custom(let key): "custom/" + key
        }
    }
}
