import Foundation
import IdentityKit
import IdentityTestKit
import OAuthKit
import Testing

@Suite("Client assertions (RFC 7523)")
struct ClientAssertionTests {
    @Test("RFC 7523 sections 2.2 and 3: the parameters and the claims")
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

    @Test("without random bytes nothing is signed")
    func failClosed() throws {
        struct Broken: Error {}
        let assertion = ClientAssertion(
            key: try SigningKey(), audience: "https://id.example", random: RandomSource { _ in throw Broken() })
        let request = TokenRequest(
            try .refreshToken("r"), tokenEndpoint: try .known("https://id.example/token"),
            client: OAuthClient(id: "app", authentication: .privateKeyJWT(assertion)))
        #expect(throws: RandomnessUnavailable()) { try request.urlRequest() }
    }
}
