import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("InsForge tokens", .stopsServers)
struct InsForgeTokenTests {
    @Test("The CSRF token is the keyed digest of session type, subject and nonce")
    func csrfVector() throws {
        let tokens = try InsForgeTokenService(
            algorithm: .hs256, secret: "unit-test-secret-0123456789abcdef", time: .system)
        let csrfToken = tokens.csrfToken(
            subject: "7f1c2a52-0b5e-4c0e-9a63-5d1f0b7a9e11", type: .user,
            csrfNonce: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
        #expect(csrfToken == "f5c432b87ce30e9d89d7dad484cfa89385aa92ecc603340a32cb234aee27b6ac")
    }

    @Test("An access token has five claims and no more, lives 15 minutes, and names a published key")
    func accessToken() async throws {
        let probe = try await InsForgeProbe.start()
        let token = try await probe.signIn().text("accessToken")
        let now = Int64(probe.clock.now.timeIntervalSince1970)
        #expect(
            ReadToken.claims(token) == [
                "sub": .string(probe.server.user.id), "email": .string(probe.server.user.email),
                "role": "authenticated", "iat": .integer(now), "exp": .integer(now + 900),
            ])
        let keyID = try #require(ReadToken.header(token)?["kid"]?.stringValue)
        #expect(ReadToken.header(token) == ["alg": "RS256", "typ": "JWT", "kid": .string(keyID)])
        #expect(keyID.wholeMatch(of: #/kid_[0-9a-f]{32}/#) != nil)

        let keys = try await probe.send("GET", "/.well-known/jwks.json").json["keys"]?.arrayValue ?? []
        #expect(keys.map { $0["kid"]?.stringValue } == [keyID])
        #expect(Set(keys.first?.objectValue?.keys.map { $0 } ?? []) == ["kty", "n", "e", "alg", "use", "kid"])
        #expect(try await probe.send("GET", "/api/.well-known/jwks.json").json["keys"]?.arrayValue == keys)
    }

    @Test("Without a key pair access tokens are signed with the secret, and no key is published")
    func sharedSecret() async throws {
        let probe = try await InsForgeProbe.start { $0.accessTokenAlgorithm = .hs256 }
        let token = try await probe.signIn().text("accessToken")
        #expect(ReadToken.header(token) == ["alg": "HS256", "typ": "JWT"])
        #expect(try await probe.send("GET", "/.well-known/jwks.json").json == ["keys": []])
        #expect(try await probe.currentSession(token).status == 200)
    }

    @Test("A refresh token says whose session it continues, for 7 days")
    func refreshToken() async throws {
        let probe = try await InsForgeProbe.start()
        let token = try await probe.signIn().text("refreshToken")
        let claims = try #require(ReadToken.claims(token)?.objectValue)
        let now = Int64(probe.clock.now.timeIntervalSince1970)
        #expect(ReadToken.header(token) == ["alg": "HS256", "typ": "JWT"])
        #expect(claims["csrfNonce"]?.stringValue?.count == 43)
        #expect(
            claims.filter { $0.key != "csrfNonce" } == [
                "sub": .string(probe.server.user.id), "type": "refresh", "iss": "insforge",
                "sessionType": "user", "iat": .integer(now), "exp": .integer(now + 604_800),
            ])
    }

    @Test("Access tokens of one user within one second are identical")
    func sameSecond() async throws {
        let probe = try await InsForgeProbe.start()
        let first = try await probe.signIn().text("accessToken")
        let second = try await probe.signIn().text("accessToken")
        #expect(first == second)
        probe.clock.advance(by: .seconds(1))
        #expect(try await probe.signIn().text("accessToken") != first)
    }

    @Test("An administrator's access token carries no address")
    func adminAccessToken() async throws {
        let probe = try await InsForgeProbe.start()
        let answer = try await probe.adminSignIn()
        let claims = try #require(ReadToken.claims(answer.text("accessToken"))?.objectValue)
        #expect(Set(claims.keys) == ["sub", "role", "iat", "exp"])
        #expect(claims["sub"] == "local:admin")
        #expect(claims["role"] == "project_admin")
    }
}
