import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// The steps of an OAuth sign-in.
extension InsForgeProbe {
    /// RFC 7636 appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// Starts a sign-in and returns the address to open.
    func startOAuth(_ path: String, redirect: String = "app://cb", extra: String = "") async throws -> URL {
        let encoded = redirect.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let answer = try await send(
            "GET",
            "/api/auth/oauth/\(path)?redirect_uri=\(encoded)&code_challenge=\(Self.challenge)" + extra)
        return try #require(URL(string: answer.text("authUrl")))
    }

    /// Starts a sign-in and follows it in a browser to the app.
    func browse(_ path: String, redirect: String = "app://cb", extra: String = "") async throws -> URL {
        let url = try await startOAuth(path, redirect: redirect, extra: extra)
        return try await ScriptedLogin().signIn(at: url)
    }

    /// A code for the app, from a sign-in with Google.
    func oauthCode() async throws -> String {
        try #require(try await browse("google").formParameters["insforge_code"])
    }

    /// Path and query of the callback a provider sends the browser to, not opened yet.
    func providerCallback(_ path: String) async throws -> String {
        let url = try await startOAuth(path).absoluteString
        let origin = server.url.absoluteString
        let answer = try await send("GET", String(url.dropFirst(origin.count)))
        return String(try #require(answer.header("Location")).dropFirst(origin.count))
    }

    func exchange(
        _ code: String, verifier: String = verifier, clientType: String = "mobile"
    ) async throws -> LocalAnswer {
        try await send(
            "POST", "/api/auth/oauth/exchange?client_type=\(clientType)",
            ["code": .string(code), "code_verifier": .string(verifier)])
    }
}

extension URL {
    /// The query's parameters, form-decoded: `+` is a space.
    var formParameters: [String: String] {
        let query = URLComponents(url: self, resolvingAgainstBaseURL: false)?.percentEncodedQuery ?? ""
        let pairs = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? "" }
            return (parts[0], parts.count == 2 ? parts[1] : "")
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
