import Foundation
import IdentityKit
import OAuthKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The requests of the InsForge authentication API that this library makes.
///
/// Every request that can yield a session says `client_type=mobile`: without it the server takes the caller for a web
/// page and hands the refresh token out as a cookie.
struct InsForgeAPI: Sendable {
    let baseURL: ServerURL
    let anonKey: String?
    let transport: any HTTPTransport

    /// `POST /api/auth/users` (InsForge, sign up).
    func signUp(email: String, password: Secret, name: String?) async throws -> SignUpResponse {
        var body: [String: JSONValue] = ["email": .string(email), "password": .string(password.reveal())]
        if let name { body["name"] = .string(name) }
        return try await post("users", body, bearer: anonKey, during: .signUp)
    }

    /// `POST /api/auth/sessions` (InsForge, sign in).
    func signIn(email: String, password: Secret) async throws -> SessionAnswer {
        try await post(
            "sessions", ["email": .string(email), "password": .string(password.reveal())], during: .signIn)
    }

    /// `POST /api/auth/refresh` (InsForge, refresh).
    func refresh(_ refreshToken: Secret) async throws -> SessionAnswer {
        // Servers before March 2026 know only the second spelling; the others ignore it.
        let token = JSONValue.string(refreshToken.reveal())
        return try await post("refresh", ["refreshToken": token, "refresh_token": token], during: .refresh)
    }

    /// `POST /api/auth/logout` (InsForge, log out).
    func logOut() async throws {
        let _: JSONValue = try await post("logout", [:], during: .other)
    }

    /// `GET /api/auth/oauth/{provider}` (InsForge OAuth, init).
    /// - Returns: the page to open in the browser.
    func authorizationURL(
        for provider: OAuthProvider, redirectURI: URL, codeChallenge: String
    ) async throws -> URL {
        // Nothing else is sent: the server forwards what it does not know to the provider.
        let query = [
            FormField("redirect_uri", redirectURI.absoluteString),
            FormField("code_challenge", codeChallenge),
        ]
        let answer: AuthorizationAnswer = try await send(
            URLRequest(url: url("oauth/\(provider.rawValue)", query)), during: .other)
        guard let url = URL(string: answer.authUrl), let host = url.host, !host.isEmpty else {
            throw InsForgeAuthError.unreadableAnswer(status: 200)
        }
        switch url.scheme?.lowercased() {
        case "https": return url
        case "http" where ServerURL.isLoopback(host): return url
        default: throw InsForgeAuthError.oauth("the server named a sign-in page without TLS.")
        }
    }

    /// `POST /api/auth/oauth/exchange` (InsForge OAuth, exchange). The code is spent whatever the answer is.
    func exchange(code: Secret, codeVerifier: Secret) async throws -> SessionAnswer {
        try await post(
            "oauth/exchange",
            ["code": .string(code.reveal()), "code_verifier": .string(codeVerifier.reveal())], during: .exchange)
    }

    struct AuthorizationAnswer: Decodable {
        let authUrl: String
    }

    // MARK: Sending

    private func url(_ path: String, _ query: [FormField]) -> URL {
        let url = baseURL.appending("api/auth/" + path)
        return URL(string: url.absoluteString + "?" + FormEncoding.encode(query)) ?? url
    }

    private func post<Answer: Decodable>(
        _ path: String, _ body: [String: JSONValue], bearer: String? = nil,
        during operation: InsForgeAuthError.Operation
    ) async throws -> Answer {
        var request = URLRequest(url: url(path, [FormField("client_type", "mobile")]))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let bearer { request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
        request.httpBody = try JSONEncoder().encode(body)
        return try await send(request, during: operation)
    }

    private func send<Answer: Decodable>(
        _ request: URLRequest, during operation: InsForgeAuthError.Operation
    ) async throws -> Answer {
        let (body, response): (Data, HTTPURLResponse)
        do {
            (body, response) = try await transport.data(for: request)
        } catch let error as TransportError {
            throw InsForgeAuthError.networkError(error)
        }
        guard response.statusCode == 200 else {
            throw InsForgeAuthError(refusal: body, response, during: operation)
        }
        do {
            return try JSONDecoder().decode(Answer.self, from: body)
        } catch {
            throw InsForgeAuthError.unreadableAnswer(status: response.statusCode)
        }
    }
}
