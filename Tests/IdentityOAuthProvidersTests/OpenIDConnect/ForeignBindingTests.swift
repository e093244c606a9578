import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server that nobody here wrote, which binds every token to a key, takes pushed requests alone, and knows no client that
/// has not registered itself. `.ci/foreign-servers/run` starts it.
@Suite(
    "A foreign server that binds tokens", .serialized, .enabled(if: ForeignBindingServer.isRunning))
struct ForeignServerBindingTests {
    @Test(
        "Registration, sign-in, userinfo with a proof, a refresh that keeps the key, and a sign-out, by each kind of key",
        arguments: [("rsa", SigningAlgorithm.rs256), ("eddsa", .edDSA)])
    func wholeSession(kind: String, algorithm: SigningAlgorithm) async throws {
        let server = try ForeignBindingServer.read()
        let store = MemoryTokenStore()
        let provider = try server.provider(store, kind)
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        let first = try #require(try await provider.sessions.storedCredential(of: account))
        #expect(first.tokenType.lowercased() == "dpop")
        let key = try #require(first.proofKey)
        #expect(try JSONWebToken(#require(first.idToken)).algorithm == algorithm.rawValue)
        #expect(try await provider.userInfo(for: account).subject == account.account)

        // Another process, which has learnt no nonce yet.
        let other = try server.provider(store, kind)
        let refreshed = try await other.accessToken(
            for: account, scopes: [], resource: nil, freshness: .other(than: first.accessToken.reveal()))
        #expect(refreshed != first.accessToken.reveal())
        let second = try #require(try await other.sessions.storedCredential(of: account))
        #expect(second.proofKey == key && second.refreshToken != first.refreshToken)
        #expect(try await other.userInfo(for: account).subject == account.account)

        // It revokes nothing for a client without a secret, and says so without a body.
        try await other.signOut(account)
        #expect(try await other.silentAccount(scopes: [], deviceToken: "d").account == nil)
    }
}

/// The server, as its script describes it.
private struct ForeignBindingServer: Decodable {
    struct User: Decodable {
        let username: String
        let password: String
    }

    let address: URL
    let user: User
    let redirectURI: URL

    private static var path: String? { ProcessInfo.processInfo.environment["IDENTITY_FOREIGN_BINDING"] }
    static var isRunning: Bool { path != nil }

    static func read() throws -> ForeignBindingServer {
        try JSONDecoder().decode(
            ForeignBindingServer.self, from: Data(contentsOf: URL(fileURLWithPath: try #require(path))))
    }

    /// A provider at the issuer that signs by this kind of key.
    func provider(_ store: any TokenStore, _ kind: String) throws -> OAuthSessionProvider {
        var settings = OpenIDConnectSettings(
            issuer: "\(address.absoluteString)/api/\(kind)", clientID: "", scopes: ["openid"], redirectURI: redirectURI,
            transportSecurity: .loopbackHTTPAllowed)
        settings.registration = ClientRegistration(name: "Swift example")
        settings.bindsTokens = true
        let environment = IdentityEnvironment(
            store: store, webAuthenticator: ScriptedBrowser(port: 8912) { try await signIn(at: $0) })
        return OAuthSessionProvider(
            settings.server, context: ProviderContext(name: "foreign", environment: environment))
    }

    /// What the program of the sign-in page does.
    private func signIn(at page: URL) async throws -> URL {
        let session = try await send(
            "POST", address.appendingPathComponent("api/auth/"),
            ["username": .string(user.username), "password": .string(user.password)], cookie: nil)
        let cookie = session.value(forHTTPHeaderField: "Set-Cookie")?.split(separator: ";").first.map(String.init)
        let clientID = try #require(CallbackURL(page)["client_id"])
        _ = try await send(
            "PUT", address.appendingPathComponent("api/auth/grant/\(clientID)"), ["scope": "openid"], cookie: cookie)
        let decided = try #require(URL(string: page.absoluteString + "&g_continue"))
        let response = try await send("GET", decided, nil, cookie: cookie)
        let location = try #require(response.value(forHTTPHeaderField: "Location"))
        return try #require(URL(string: location))
    }

    private func send(
        _ method: String, _ url: URL, _ body: JSONValue?, cookie: String?
    ) async throws -> HTTPURLResponse {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue(cookie, forHTTPHeaderField: "Cookie")
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(body)
        }
        return try await DefaultTransport.make().data(for: request).1
    }
}
