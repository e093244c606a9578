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

    @Test("A refresh that brings such a token ends no session")
    func refresh() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            let session = try #require(client.auth.getSession())
            let user = try JSONValue(parsing: JSONEncoder().encode(session.user))
            fixture.expire()
            fixture.server.http.fail(
                .answer(
                    .json([
                        "user": user, "accessToken": .string(session.accessToken.dropLast(8) + "AAAAAAAA"),
                        "refreshToken": "r",
                    ])), pathPrefix: "/api/auth/refresh")
            let error = await #expect(throws: InsForgeAuthError.self) { try await client.auth.accessToken() }
            #expect(error?.failureCode == "untrusted_token" && error?.failureClass == .transient)
            _ = try await client.auth.accessToken()
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
