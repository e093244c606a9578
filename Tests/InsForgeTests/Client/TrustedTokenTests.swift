import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import TestSupport
import Testing

/// An access token becomes a session only when it is the user's and the server's own keys vouch for it.
@Suite struct TrustedTokenTests {
    @Test("The keys are fetched once for many sign-ins")
    func cached() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            try await client.auth.signOut()
            try await client.auth.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
            #expect(fixture.requests(to: "/api/.well-known/jwks.json") == 1)
        }
    }

    @Test("The tokens of a server without a key pair are accepted, because only it can check them")
    func sharedSecret() async throws {
        try await InsForgeFixture.run({ $0.accessTokenAlgorithm = .hs256 }) { fixture in
            let client = try await fixture.signedInClient()
            fixture.expire()
            _ = try await client.auth.accessToken()
            #expect(fixture.requests(to: "/api/.well-known/jwks.json") == 0)
        }
    }

    @Test(
        "A token that nobody vouches for is no session: a foreign key, another person, no algorithm, a refresh token",
        .guards("issuer and subject", "algorithms"))
    func refused() async throws {
        let foreign = try await LocalInsForgeServer.start()
        try await InsForgeFixture.run { fixture in
            let transport = RecordingTransport()
            let honest = try await fixture.signedInClient { $0.global.transport = transport }
            let session = try #require(honest.auth.getSession())
            let refreshToken = try #require(fixture.server.issuedTokens.last { $0.kind == .refresh }?.token.reveal())
            try await honest.auth.signOut()

            let abroad = InsForgeClient(
                baseURL: foreign.url, anonKey: foreign.anonKey,
                options: .init(
                    auth: .init(storage: InMemoryAuthStorage()),
                    global: .init(allowsLoopbackHTTP: true, logDestination: .none)))
            try await abroad.auth.signIn(email: foreign.user.email, password: foreign.user.password)
            let foreignToken = try #require(abroad.auth.getSession()?.accessToken)

            let parts = session.accessToken.split(separator: ".")
            let unsigned = "eyJhbGciOiJub25lIn0." + parts[1] + "."
            let tampered = session.accessToken.dropLast(8) + "AAAAAAAA"
            let user = try JSONValue(parsing: JSONEncoder().encode(session.user))
            for token in [foreignToken, unsigned, String(tampered), refreshToken, "opaque"] {
                fixture.server.http.fail(
                    .answer(.json(["user": user, "accessToken": .string(token), "refreshToken": "r"])),
                    pathPrefix: "/api/auth/sessions")
                let error = await #expect(throws: InsForgeAuthError.self) {
                    try await honest.auth.signIn(email: "a@example.org", password: "b")
                }
                #expect(["untrusted_token", "unreadable_answer"].contains(error?.failureCode))
                #expect(honest.auth.getSession() == nil)
            }
        }
        await foreign.stop()
    }

    /// The answer to a refresh with a token whose signature is wrong.
    private func forged(_ session: Session) throws -> Fault {
        let user = try JSONValue(parsing: JSONEncoder().encode(session.user))
        return .answer(
            .json([
                "user": user, "accessToken": .string(session.accessToken.dropLast(8) + "AAAAAAAA"), "refreshToken": "r",
            ]))
    }

    @Test("A refreshed token that the keys did not sign ends the session, by keys that were fetched after it")
    func refresh() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            let session = try #require(client.auth.getSession())
            fixture.expire()
            fixture.server.http.fail(try forged(session), pathPrefix: "/api/auth/refresh")
            await #expect(throws: InsForgeAuthError.sessionExpired) { try await client.auth.accessToken() }
            #expect(fixture.requests(to: "/api/.well-known/jwks.json") == 2)
        }
    }

    @Test("A refresh needs no key: it is verified by one at hand, and kept where none can be had")
    func refreshWithoutKeys() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            fixture.clock.advance(by: .seconds(60))
            _ = try await client.auth.refreshAccessToken()
            #expect(fixture.requests(to: "/api/.well-known/jwks.json") == 1)
            for answer in [Fault.answer(.text("busy", status: 503)), .answer(.json(["keys": []])), .dropAnswer] {
                fixture.expire()
                fixture.server.http.fail(answer, pathPrefix: "/api/.well-known")
                let token = try await client.auth.accessToken()
                #expect(token == fixture.server.issuedTokens.last { $0.kind == .access }?.token.reveal())
                #expect(client.auth.getSession()?.accessToken == token)
            }
            #expect(fixture.server.counters.refreshes == 4)
        }
    }

    @Test("A server with a new key under the old identifier ends no session, and takes sign-ins")
    func sameIdentifier() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            try fixture.server.rotateSigningKey(keepingIdentifier: true)
            fixture.clock.advance(by: .seconds(60))
            _ = try await client.auth.refreshAccessToken()
            #expect(fixture.requests(to: "/api/.well-known/jwks.json") == 2)
            #expect(client.auth.getSession() != nil)
            try fixture.server.rotateSigningKey(keepingIdentifier: true)
            try await client.auth.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
        }
    }

    @Test("A project that has lost its key pair goes on, and one that has found it again, too")
    func sharedSecretAgain() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            for hasLostKeyPair in [true, false, true] {
                fixture.server.reconfigure { $0.faults.hasLostKeyPair = hasLostKeyPair }
                fixture.expire()
                _ = try await client.auth.accessToken()
                #expect(try await client.auth.getCurrentUser()?.id == fixture.server.user.id)
                try await client.auth.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
            }
        }
    }

    @Test("Keys that cannot be fetched are a passing failure, and the next attempt may work")
    func unreachableKeys() async throws {
        try await InsForgeFixture.run { fixture in
            fixture.server.http.fail(.answer(.text("busy", status: 503)), pathPrefix: "/api/.well-known")
            let client = fixture.client()
            let user = fixture.server.user
            let error = await #expect(throws: InsForgeAuthError.self) {
                try await client.auth.signIn(email: user.email, password: user.password)
            }
            #expect(error?.failureClass == .transient)
            try await client.auth.signIn(email: user.email, password: user.password)
        }
    }
}
