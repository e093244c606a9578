import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Client assertions (RFC 7523)")
struct ClientAssertionTests {
    @Test(
        "RFC 7523 sections 2.2 and 3: the parameters and the claims",
        .guards(
            "assertion form", "assertion subject", "assertion audience", "assertion lifetime", "assertion identifier",
            "assertion signature"))
    func assertion() throws {
        let clock = ManualClock()
        let key = try SigningKey(.es256, keyID: "registered")
        let client = OAuthClient(
            id: "app",
            authentication: .privateKeyJWT(
                ClientAssertion(key: key, audience: "https://id.example", time: clock.timeSource)))
        #expect(client.authentication.method == .privateKeyJWT)
        let tokens = try (0..<2).map { _ in
            let request = TokenRequest(
                try .refreshToken("r"), tokenEndpoint: try .known("https://id.example/token"), client: client)
            let fields = try formFields(request.urlRequest())
            #expect(fields.only("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            #expect(fields.only("client_id") == "app")
            #expect(fields.only("client_secret") == nil)
            return try JSONWebToken(Secret(try #require(fields.only("client_assertion"))))
        }
        let token = tokens[0]
        try SignatureVerifier().verify(token.message, with: JSONWebKeySet([key.publicKey]))
        #expect(token.keyID == "registered")
        #expect(token.issuer == "app")
        #expect(token.subject == "app")
        #expect(token.claims["aud"] == "https://id.example")
        #expect(token.issuedAt == clock.now)
        #expect(token.expiresAt == clock.now + 60)
        let identifiers = Set(tokens.compactMap { $0.claims["jti"]?.stringValue })
        #expect(identifiers.count == 2)
    }

    @Test(
        "OpenID Connect Core section 9: client_secret_jwt signs with the secret, which is never sent",
        .guards("client authentication"))
    func secretAssertion() throws {
        let secret: Secret = "a secret of thirty-two bytes, 32"
        let clock = ManualClock()
        let client = OAuthClient(
            id: "app",
            authentication: .clientSecretJWT(
                ClientAssertion(secret: secret, audience: "https://id.example", time: clock.timeSource)))
        #expect(client.authentication.method == .clientSecretJWT)
        let request = TokenRequest(
            try .refreshToken("r"), tokenEndpoint: try .known("https://id.example/token"), client: client)
        let sent = try request.urlRequest()
        let fields = try formFields(sent)
        #expect(fields.only("client_secret") == nil)
        #expect(sent.value(forHTTPHeaderField: "Authorization") == nil)
        let token = try JSONWebToken(Secret(try #require(fields.only("client_assertion"))))
        #expect(token.algorithm == "HS256")
        #expect(token.keyID == nil)
        #expect(token.issuer == "app")
        #expect(token.claims["aud"] == "https://id.example")
        #expect(token.expiresAt == clock.now + 60)
        #expect(token.signature == hmacSHA256(token.signingInput, key: Data(secret.reveal().utf8)))
        // Nobody takes such a token from a server.
        #expect(throws: OAuthError.invalidToken(.unacceptedAlgorithm("HS256"))) {
            try SignatureVerifier(allowing: [.hs256]).verify(token.message, with: JSONWebKeySet([]))
        }
    }

    @Test("RFC 7518 section 3.2: a secret that is shorter than the hash signs nothing", .guards("key entropy"))
    func shortSecret() throws {
        let assertion = ClientAssertion(secret: "a secret of thirty-one bytes  31", audience: "https://id.example")
        _ = try request(assertion, secret: true).urlRequest()
        let short = ClientAssertion(secret: "a secret of thirty-one bytes, 3", audience: "https://id.example")
        #expect(throws: OAuthError.invalidSetting(.shortSecret)) { try request(short, secret: true).urlRequest() }
    }

    /// Takes assertions that are good by its own clock, and refuses the others.
    private actor Server: HTTPTransport {
        private(set) var assertions: [JSONWebToken] = []
        private let now: Date
        private let isStubborn: Bool

        init(now: Date, isStubborn: Bool = false) {
            self.now = now
            self.isStubborn = isStubborn
        }

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            let assertion = try JSONWebToken(Secret(formFields(request).only("client_assertion") ?? ""))
            assertions.append(assertion)
            let headers = ["Date": HTTPDateText.format(now)]
            guard !isStubborn, let issuedAt = assertion.issuedAt, abs(issuedAt.timeIntervalSince(now)) < 60 else {
                return try httpResponse(#"{"error":"invalid_client"}"#, status: 401, headers: headers)
            }
            return try httpResponse(#"{"access_token":"a","token_type":"Bearer"}"#, headers: headers)
        }
    }

    private func request(_ assertion: ClientAssertion, secret: Bool = false) throws -> TokenRequest {
        try TokenRequest(
            .refreshToken("r"), tokenEndpoint: .known("https://id.example/token"),
            client: OAuthClient(
                id: "app", authentication: secret ? .clientSecretJWT(assertion) : .privateKeyJWT(assertion)))
    }

    @Test("An assertion refused for its time is made once more, by the server's, and the next ones are too")
    func wrongClock() async throws {
        let clock = ManualClock()
        for offset in [3700.0, -3700] {
            let server = Server(now: clock.now + offset)
            let assertion = ClientAssertion(
                key: try SigningKey(.es256), audience: "https://id.example", time: clock.timeSource)
            _ = try await request(assertion).send(using: server)
            #expect(await server.assertions.count == 2)
            _ = try await request(assertion).send(using: server)
            #expect(await server.assertions.count == 3)
        }
    }

    @Test("One refused for another reason is made at most once more, and the server's time is not believed")
    func stubbornServer() async throws {
        let clock = ManualClock()
        for (offset, expected) in [(0.0, 1), (50, 1), (3700, 2)] {
            let server = Server(now: clock.now + offset, isStubborn: true)
            let assertion = ClientAssertion(
                key: try SigningKey(.es256), audience: "https://id.example", time: clock.timeSource)
            for round in 1...2 {
                await #expect(throws: OAuthError.self) { try await request(assertion).send(using: server) }
                #expect(await server.assertions.count == round * expected)
            }
            #expect(await server.assertions.first?.issuedAt == clock.now)
        }
    }

    @Test("without random bytes nothing is signed", .guards("assertion identifier"))
    func failClosed() throws {
        struct Broken: Error {}
        let assertion = ClientAssertion(
            key: try SigningKey(), audience: "https://id.example", random: RandomSource { _ in throw Broken() })
        let request = TokenRequest(
            try .refreshToken("r"), tokenEndpoint: try .known("https://id.example/token"),
            client: OAuthClient(id: "app", authentication: .privateKeyJWT(assertion)))
        #expect(throws: RandomnessError()) { try request.urlRequest() }
    }
}
