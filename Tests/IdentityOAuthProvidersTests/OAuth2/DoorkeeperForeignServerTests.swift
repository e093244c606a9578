import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import IdentityTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Doorkeeper, which many servers of OAuth without OpenID Connect are made with. `.ci/foreign-servers/run` starts it.
@Suite("A foreign server of OAuth alone", .serialized, .enabled(if: DoorkeeperServer.isRunning))
struct ForeignServerDoorkeeperTests {
    @Test(
        "Code and PKCE, the person, a refresh that rotates, and a revocation, as either kind of client",
        arguments: [false, true])
    func wholeSession(isConfidential: Bool) async throws {
        let (server, store) = (try DoorkeeperServer.read(), MemoryTokenStore())
        let provider = try server.provider(store, isConfidential: isConfidential)
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        let first = try #require(try await provider.sessions.storedCredential(of: account))
        #expect(account.account == "1" && first.profile?.email == server.user.email)
        #expect(first.scopes == ["read"] && first.expiresAt != nil)

        let token = try await provider.accessToken(
            for: account, scopes: [], resource: nil, freshness: .other(than: first.accessToken.reveal()))
        let second = try #require(try await provider.sessions.storedCredential(of: account))
        #expect(second.refreshToken != first.refreshToken)
        #expect(try await server.status(of: token) == 200)
        // The first use of the new token ends what was before.
        #expect(try await server.status(of: first.accessToken.reveal()) == 401)

        // More scopes, for the same person.
        _ = try await provider.requestAuthorization(for: account, scopes: ["write"], deviceToken: "d")
        let wider = try await provider.accessToken(for: account, scopes: ["read", "write"])
        #expect(try await server.status(of: wider) == 200)
        try await provider.signOut(account)
        #expect(try await server.status(of: wider) == 401)
    }

    @Test("A client's secret stands in Basic as it is, which is one setting")
    func plainBasic() async throws {
        let server = try DoorkeeperServer.read()
        let provider = try server.provider(MemoryTokenStore(), isConfidential: true, ["requestFormat": [:]])
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureCode == "invalid_client")
    }

    @Test("A code with another verifier, a code that is used twice, and an unknown scope are refused")
    func refusals() async throws {
        let server = try DoorkeeperServer.read()
        let redirectURI = try #require(URL(string: server.redirectURI))
        let client = OAuthClient(id: server.publicClient.id, transportSecurity: .loopbackHTTPAllowed)
        func flow(_ scope: String = "read") throws -> AuthorizationRequest {
            try AuthorizationRequest(
                client: client, authorizationEndpoint: server.address("oauth/authorize"), redirectURI: redirectURI,
                scopes: [scope])
        }
        func redeem(_ code: Secret, _ pending: PendingAuthorization) async throws -> TokenEndpointResponse {
            try await TokenRequest(
                .authorizationCode(code, pending: pending), tokenEndpoint: server.address("oauth/token"), client: client
            ).send(using: DefaultTransport.make())
        }
        func code(_ request: AuthorizationRequest) async throws -> Secret {
            let callback = try await server.login.signIn(at: request.url)
            return try AuthorizationResponse(callbackURL: callback).authorizationCode(for: request.pending, at: Date())
        }
        let (one, other) = (try flow(), try flow())
        let stolen = try await code(one)
        let mismatch = await #expect(throws: OAuthError.self) { try await redeem(stolen, other.pending) }
        let good = try await code(other)
        _ = try await redeem(good, other.pending)
        let again = await #expect(throws: OAuthError.self) { try await redeem(good, other.pending) }
        let unknown = try flow("everything")
        // Doorkeeper says so on a page of its own, and sends nobody back.
        await #expect(throws: ScriptedLoginError.stranded(at: "/oauth/authorize")) { try await code(unknown) }
        #expect([mismatch, again].map { $0?.failureCode } == ["invalid_grant", "invalid_grant"])
    }

    @Test("After a response that was lost, a refresh token is good until its successor is used (parentAlways)")
    func lostResponse() async throws {
        let (server, store, losing) = (try DoorkeeperServer.read(), MemoryTokenStore(), LosingTransport())
        let provider = try server.provider(store, transport: losing)
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        let first = try #require(try await provider.sessions.storedCredential(of: account))
        losing.losesNext()
        await #expect(throws: (any Error).self) {
            try await provider.accessToken(
                for: account, scopes: [], resource: nil, freshness: .other(than: first.accessToken.reveal()))
        }
        let token = try await provider.accessToken(
            for: account, scopes: [], resource: nil, freshness: .other(than: first.accessToken.reveal()))
        #expect(token != first.accessToken.reveal())
        #expect(try await server.status(of: token) == 200)
        let request = try TokenRequest(
            .refreshToken(#require(first.refreshToken)), tokenEndpoint: server.address("oauth/token"),
            client: OAuthClient(id: server.publicClient.id, transportSecurity: .loopbackHTTPAllowed))
        let error = await #expect(throws: OAuthError.self) { try await request.send(using: DefaultTransport.make()) }
        #expect(error?.failureCode == "invalid_grant")
    }
}

/// Loses the next response to a form, after the server has acted.
private final class LosingTransport: HTTPTransport {
    private let base = DefaultTransport.make()
    private let loses = Locked(false)

    func losesNext() { loses.withLock { $0 = true } }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let response = try await base.data(for: request)
        let isLost = loses.withLock { loses in
            defer { loses = false }
            return loses
        }
        if isLost { throw TransportError.connectionLost(host: request.url?.host ?? "") }
        return response
    }
}

/// The server, as its script describes it.
private struct DoorkeeperServer: Decodable {
    struct User: Decodable {
        let username: String
        let password: String
        let email: String
    }

    struct Client: Decodable {
        let id: String
        let secret: String?
    }

    let issuer: URL
    let user: User
    let publicClient: Client
    let confidentialClient: Client
    let redirectURI: String

    private static var path: String? { ProcessInfo.processInfo.environment["IDENTITY_FOREIGN_DOORKEEPER"] }
    static var isRunning: Bool { path != nil }

    static func read() throws -> DoorkeeperServer {
        try JSONDecoder().decode(
            DoorkeeperServer.self, from: Data(contentsOf: URL(fileURLWithPath: try #require(path))))
    }

    var login: ScriptedLogin { ScriptedLogin(username: user.username, password: Secret(user.password)) }

    func address(_ path: String) -> URL { issuer.appendingPathComponent(path) }

    func provider(
        _ store: any TokenStore, isConfidential: Bool = false, _ members: [String: JSONValue] = [:],
        transport: any HTTPTransport = DefaultTransport.make()
    ) throws -> OAuthSessionProvider {
        let client = isConfidential ? confidentialClient : publicClient
        func text(_ path: String) -> JSONValue { .string(address(path).absoluteString) }
        let settings: [String: JSONValue] = [
            "issuer": .string(issuer.absoluteString), "clientID": .string(client.id), "allowsLoopbackHTTP": true,
            "clientSecret": client.secret.map(JSONValue.string) ?? .null,
            "redirectURI": .string(redirectURI), "scopes": ["read"], "replay": "parentAlways",
            "endpoints": [
                "authorization_endpoint": text("oauth/authorize"), "token_endpoint": text("oauth/token"),
                "revocation_endpoint": text("oauth/revoke"),
            ],
            "account": ["url": text("me"), "identifier": "id", "name": "username", "email": "email"],
            "requestFormat": ["encodesBasic": false],
        ]
        let environment = IdentityEnvironment(
            store: store, transport: transport, webAuthenticator: ScriptedBrowser { try await login.signIn(at: $0) })
        let chain = try OAuth2Fixture.chain(
            .object(settings.merging(members) { $1 }.filter { $0.value != .null }), in: environment)
        return try #require(chain.links.first?.provider as? OAuthSessionProvider)
    }

    /// The status of a call with an access token.
    func status(of token: String) async throws -> Int {
        var request = URLRequest(url: address("me"))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return try await DefaultTransport.make().data(for: request).1.statusCode
    }
}
