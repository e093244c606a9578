import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityOAuth

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Tokens on behalf of whoever sent one, at servers that answer as a test says.
@Suite(.endsInTime) struct DelegationTests {
    private static let api = "https://api.example.com"

    /// A server that notes what it is asked, and a client whose provider it is.
    private struct Fixture {
        let server: LocalHTTPServer
        let client: IdentityClient
        let clock = ManualClock()
        private let forms = Locked<[[String: String]]>([])
        /// The keys that token requests have proven.
        let keys = Locked<[JSONValue?]>([])

        init(
            _ style: TokensByResource = .rfc8707, bindsTokens: Bool = false,
            answer: @escaping @Sendable (_ number: Int) -> JSONValue = DelegationTests.answer
        ) async throws {
            server = try await LocalHTTPServer.start { [forms, keys] request in
                keys.withLock { $0.append(DelegationTests.key(inProof: request.header("DPoP"))) }
                let form = Dictionary((request.form ?? []).map { ($0.name, $0.value) }) { "\($0) \($1)" }
                let number = forms.withLock { forms in
                    forms.append(form)
                    return forms.count
                }
                return .json(answer(number))
            }
            var described = try OAuthServer(
                type: "planted", backend: server.url.absoluteString,
                client: OAuthClient(id: "middle", transportSecurity: .loopbackHTTPAllowed),
                endpoints: [.token: server.url.appendingPathComponent("token")], account: .idToken)
            described.tokensByResource = style
            described.bindsTokens = bindsTokens
            described.options.resources = ["https://configured.example.com"]
            let environment = IdentityEnvironment(
                store: MemoryTokenStore(), time: clock.timeSource, variables: [:])
            let provider = OAuthSessionProvider(
                described, context: ProviderContext(name: "downstream", environment: environment))
            let chain = try IdentityProviderChain(
                [.init("downstream", provider), .init("plain", AnonymousProvider())],
                store: environment.store)
            // A server that acts for many people names no account here.
            client = IdentityClient(provider: chain, environment: environment, requiresAccount: true)
        }

        var requests: [[String: String]] { forms.withLock { $0 } }

        func token(
            _ sent: String = "sent", scopes: Set<String> = [], resource: String? = DelegationTests.api,
            actor: String? = nil, replacing: String? = nil
        ) async throws -> String {
            try await client.accessToken(
                onBehalfOf: sent, from: "downstream", scopes: scopes, resource: resource, actor: actor,
                replacing: replacing)
        }

        func stop() async { await server.stop() }
    }

    private struct AnonymousProvider: IdentityProvider {
        func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? { nil }

        func requestAuthorization(
            for accountID: AccountID, scopes: Set<String>, deviceToken: String
        ) async throws -> Data? { nil }

        func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
            throw SessionError.notSignedIn(accountID)
        }
    }

    @Sendable static func answer(_ number: Int) -> JSONValue {
        ["access_token": .string("token-\(number)"), "token_type": "Bearer", "expires_in": 3600]
    }

    /// The key that a proof names.
    fileprivate static func key(inProof proof: String?) -> JSONValue? {
        proof.flatMap { try? JSONWebToken(Secret($0)) }?.header["jwk"]
    }

    /// A token that says these things; nobody looks at its signature.
    private static func jwt(_ claims: [String: JSONValue]) throws -> String {
        func part(_ value: JSONValue) throws -> String { Base64URL.encode(try JSONEncoder().encode(value)) }
        return try "\(part(["alg": "none"])).\(part(.object(claims))).c2ln"
    }

    @Test("A token is exchanged once for all callers, and kept by everything that it is for")
    func once() async throws {
        let fixture = try await Fixture()
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await fixture.token(scopes: ["read", "write"]) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["token-1"] && fixture.requests.count == 1)
        #expect(
            fixture.requests.first == [
                "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "middle",
                "subject_token": "sent", "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
                "resource": Self.api, "scope": "read write",
            ])
        #expect(try await fixture.token("other", scopes: ["read", "write"]) == "token-2")
        #expect(try await fixture.token(scopes: ["read"]) == "token-3")
        #expect(try await fixture.token(scopes: ["read", "write"], resource: "\(Self.api)/v2") == "token-4")
        #expect(try await fixture.token(scopes: ["read", "write"], actor: "me") == "token-5")
        #expect(fixture.requests.last?["actor_token"] == "me")
        #expect(try await fixture.token(scopes: ["write", "read"]) == "token-1")
        // One that was refused is replaced, once.
        #expect(try await fixture.token(scopes: ["write", "read"], replacing: "token-1") == "token-6")
        #expect(try await fixture.token(scopes: ["write", "read"], replacing: "token-1") == "token-6")
        await fixture.stop()
    }

    @Test("A token is kept until it is about to expire, or the one that was sent ends")
    func lifetime() async throws {
        let fixture = try await Fixture()
        let sent = try Self.jwt(["exp": .number(fixture.clock.now.timeIntervalSince1970 + 600)])
        #expect(try await fixture.token(sent) == "token-1")
        #expect(try await fixture.token() == "token-2")
        fixture.clock.advance(by: .seconds(599))
        #expect(try await fixture.token(sent) == "token-1")
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.token(sent) == "token-3")
        // The one that was sent has ended, so that nothing is kept for it.
        #expect(try await fixture.token(sent) == "token-4")
        fixture.clock.advance(by: .seconds(2939))
        #expect(try await fixture.token() == "token-2")
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.token() == "token-5")
        await fixture.stop()
    }

    @Test("Microsoft Entra ID gets an assertion, and scopes that name the resource")
    func entra() async throws {
        let fixture = try await Fixture(.entra)
        _ = try await fixture.token(scopes: ["User.Read", "https://other.example.com/x"])
        #expect(
            fixture.requests.last == [
                "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "client_id": "middle",
                "assertion": "sent", "requested_token_use": "on_behalf_of",
                "scope": "\(Self.api)/User.Read https://other.example.com/x",
            ])
        _ = try await fixture.token()
        #expect(fixture.requests.last?["scope"] == "\(Self.api)/.default")
        await #expect(throws: OAuthError.invalidSetting(.invalidParameter("actor_token"))) {
            try await fixture.token(actor: "me")
        }
        await fixture.stop()
    }

    @Test("Auth0 is told an audience, and without a resource the settings say what the token is for")
    func targets() async throws {
        let fixture = try await Fixture(.auth0)
        _ = try await fixture.token()
        #expect(fixture.requests.last?["audience"] == Self.api && fixture.requests.last?["resource"] == nil)
        _ = try await fixture.token(resource: nil)
        #expect(fixture.requests.last?["resource"] == "https://configured.example.com")
        await fixture.stop()
    }

    @Test("A token for another resource, or without the scopes, is not handed out and not kept")
    func otherResource() async throws {
        let other = try Self.jwt(["aud": "https://graph.example.com"])
        let fixture = try await Fixture { number in
            number < 3
                ? ["access_token": .string(other), "token_type": "Bearer", "expires_in": 3600]
                : ["access_token": "narrow", "token_type": "Bearer", "expires_in": 3600, "scope": "read"]
        }
        for _ in 1...2 {
            let error = await #expect(throws: OAuthError.self) { try await fixture.token() }
            #expect(error == .invalidResponse(.invalidMember("aud"), host: "127.0.0.1"))
        }
        await #expect(throws: OAuthError.invalidResponse(.invalidMember("scope"), host: "127.0.0.1")) {
            try await fixture.token(scopes: ["write"])
        }
        #expect(fixture.requests.count == 3)
        await fixture.stop()
    }

    @Test("What cannot be exchanged is sent nowhere")
    func refused() async throws {
        let fixture = try await Fixture()
        await #expect(throws: MalformedTokenError.self) { try await fixture.token("two words\n") }
        await #expect(throws: ClientError.cannotDelegate("plain")) {
            try await fixture.client.accessToken(onBehalfOf: "sent", from: "plain")
        }
        await #expect(throws: ChainUsageError.self) {
            try await fixture.client.accessToken(onBehalfOf: "sent", from: "nobody")
        }
        #expect(fixture.requests.isEmpty)
        await fixture.stop()
        let bound = try await Fixture(bindsTokens: true)
        await #expect(throws: OAuthError.invalidSetting(.invalidParameter("dpop"))) { try await bound.token() }
        #expect(bound.requests.isEmpty)
        await bound.stop()
    }

    @Test("A token that is bound to a key goes into a request with a proof of it, and is requested once")
    func bound() async throws {
        let fixture = try await Fixture(bindsTokens: true) { number in
            ["access_token": .string("token-\(number)"), "token_type": "DPoP", "expires_in": 3600]
        }
        let url = try #require(URL(string: "https://api.example.com/me"))
        func authorized(_ sent: String = "sent", replacing: String? = nil) async throws -> URLRequest {
            try await fixture.client.authorize(
                URLRequest(url: url), onBehalfOf: sent, from: "downstream", resource: Self.api, replacing: replacing)
        }
        for _ in 1...2 {
            let request = try await authorized()
            #expect(request.value(forHTTPHeaderField: "Authorization") == "DPoP token-1")
            let key = try #require(Self.key(inProof: request.value(forHTTPHeaderField: "DPoP")))
            #expect(fixture.keys.withLock { $0 } == [key])
        }
        let other = try await authorized("other")
        #expect(other.value(forHTTPHeaderField: "Authorization") == "DPoP token-2")
        let next = try await authorized(replacing: "token-1")
        #expect(next.value(forHTTPHeaderField: "Authorization") == "DPoP token-3")
        let keys = fixture.keys.withLock { $0 }
        #expect(keys.count == 3 && keys.allSatisfy { $0 == keys[0] })
        let plain = try #require(URL(string: "http://api.example.com/me"))
        await #expect(throws: ClientError.self) {
            try await fixture.client.authorize(URLRequest(url: plain), onBehalfOf: "sent", from: "downstream")
        }
        #expect(fixture.requests.count == 3)
        await fixture.stop()
        let bearer = try await Fixture()
        let request = try await bearer.client.authorize(
            URLRequest(url: url), onBehalfOf: "sent", from: "downstream", resource: Self.api)
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer token-1")
        #expect(try await bearer.token() == "token-1" && bearer.requests.count == 1)
        await bearer.stop()
    }

    @Test("A thousand tokens are kept, and the one that was used least recently gives way")
    func bounded() async throws {
        let (clock, asked) = (ManualClock(), Locked(0))
        let tokens = DelegatedTokens(time: clock.timeSource)
        func use(_ number: Int) async throws -> String {
            let key = DelegatedTokens.Key(
                Secret("sent-\(number)"), actor: nil, client: "middle", resource: nil, scopes: [])
            return try await tokens.token(for: key, replacing: nil, until: nil) {
                asked.withLock { $0 += 1 }
                return Credential(
                    accessToken: Secret("token-\(number)"), issuedAt: clock.now, expiresAt: clock.now + 3600,
                    signedInAt: clock.now, backend: "https://id.example.com")
            }.accessToken.reveal()
        }
        for number in 0..<DelegatedTokens.limit { _ = try await use(number) }
        #expect(try await use(0) == "token-0" && asked.withLock { $0 } == 1_000)
        #expect(try await use(1_000) == "token-1000")
        #expect(tokens.count == 1_000)
        _ = try await use(0)
        #expect(asked.withLock { $0 } == 1_001)
        _ = try await use(1)
        #expect(asked.withLock { $0 } == 1_002 && tokens.count == 1_000)
    }
}
