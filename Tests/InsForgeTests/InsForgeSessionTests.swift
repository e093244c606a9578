import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct InsForgeSessionTests {
    private func signedIn(
        _ adjust: (inout LocalInsForgeServer.Configuration) -> Void = { _ in }
    ) async throws -> (InsForgeFixture, InsForgeProvider) {
        let fixture = try await InsForgeFixture(adjust)
        let provider = try fixture.provider()
        try await provider.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
        return (fixture, provider)
    }

    private static func refusal(_ status: Int, _ code: String, _ text: String) -> Fault {
        .answer(
            .json(
                ["error": .string(code), "message": .string(text), "statusCode": .integer(Int64(status))],
                status: status))
    }

    @Test("The token is good at an API that wants a signed-in user")
    func usable() async throws {
        let (fixture, provider) = try await signedIn()
        let token = try await provider.accessToken(for: fixture.account, scopes: [])
        var request = URLRequest(url: fixture.server.url.appendingPathComponent("api/auth/sessions/current"))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (_, response) = try await DefaultTransport.make().data(for: request)
        #expect(response.statusCode == 200)
        await fixture.server.stop()
    }

    @Test("A server that knows only the old field name refreshes too")
    func oldServer() async throws {
        let (fixture, provider) = try await signedIn { $0.legacy.refreshReadsSnakeCaseOnly = true }
        fixture.clock.advance(by: .seconds(15 * 60))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test(
        "A refusal of the request, or in words nobody knows, does not end the session at once",
        arguments: [
            (401, "AUTH_UNAUTHORIZED", "No refresh token provided", "server_error"),
            (403, "FORBIDDEN", "Invalid CSRF token", "forbidden"),
            (400, "INVALID_INPUT", "refreshToken: Required", "invalid_input"),
            (401, "AUTH_UNAUTHORIZED", "Something new", "refresh_refused"),
        ])
    func unsettled(status: Int, code: String, text: String, failure: String) async throws {
        let (fixture, provider) = try await signedIn()
        fixture.clock.advance(by: .seconds(15 * 60))
        fixture.server.http.fail(Self.refusal(status, code, text), pathPrefix: "/api/auth/refresh")
        let error = await #expect(throws: (any Error).self) {
            try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect((error as? any IdentityFailure)?.failureCode == failure)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == fixture.account)
        // A token that was refused like this is left alone for a while.
        fixture.clock.advance(by: .seconds(2 * 3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        await fixture.server.stop()
    }

    @Test("What ends a session is told once, and with one advice")
    func endedOnce() async throws {
        let (fixture, provider) = try await signedIn()
        fixture.clock.advance(by: .seconds(15 * 60))
        fixture.server.http.fail(
            Self.refusal(401, "AUTH_UNAUTHORIZED", "Invalid or expired refresh token"), pathPrefix: "/api/auth/refresh")
        let error = await #expect(throws: SessionError.self) {
            try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect(error?.message.components(separatedBy: "Sign in again").count == 2)
        await fixture.server.stop()
    }

    @Test("An account is known by name, address and picture, from the sign-in on and after each refresh")
    func profile() async throws {
        let (fixture, provider) = try await signedIn {
            $0.user.profile = ["name": "Robin Doe", "avatar_url": "https://img.example/robin.png"]
        }
        let picture = URL(string: "https://img.example/robin.png")
        #expect(
            try await provider.sessions.storedCredential(of: fixture.account)?.profile
                == AccountProfile(displayName: "Robin Doe", email: fixture.server.user.email, picture: picture))

        let client = fixture.client()
        try await client.auth.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
        try await client.auth.setProfile(["name": "Robin II", "avatar_url": "javascript:alert(1)"])
        let account = AccountID(account: fixture.server.user.id, realm: "insforge")
        let same = try fixture.provider(name: "insforge")
        let renamed = AccountProfile(displayName: "Robin II", email: fixture.server.user.email)
        #expect(try await same.sessions.storedCredential(of: account)?.profile == renamed)

        try await client.auth.setProfile(["avatar_url": "https://img.example/new.png"])
        fixture.clock.advance(by: .seconds(15 * 60))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(
            try await provider.sessions.storedCredential(of: fixture.account)?.profile
                == AccountProfile(
                    displayName: "Robin II", email: fixture.server.user.email,
                    picture: URL(string: "https://img.example/new.png")))
        await fixture.server.stop()
    }

    @Test("A refresh that answers for somebody else ends the session and is handed to nobody")
    func somebodyElse() async throws {
        let (fixture, provider) = try await signedIn()
        fixture.clock.advance(by: .seconds(15 * 60))
        fixture.server.http.fail(
            .answer(
                .json([
                    "accessToken": "theirs", "refreshToken": "theirs",
                    "user": [
                        "id": "somebody-else", "email": "e@example.org", "emailVerified": true,
                        "createdAt": "2026-09-01T08:00:00.120Z", "updatedAt": "2026-09-01T08:00:00.120Z",
                    ],
                ])), pathPrefix: "/api/auth/refresh")
        let error = await #expect(throws: SessionError.self) {
            try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect(error?.failureCode == "session_ended")
        await fixture.server.stop()
    }

    @Test("Nothing listening is a network error that keeps the account")
    func refusedConnection() async throws {
        let (fixture, provider) = try await signedIn()
        await fixture.server.stop()
        fixture.clock.advance(by: .seconds(15 * 60))
        await #expect(throws: InsForgeAuthError.networkError(.connectionRefused(host: fixture.server.url.authority))) {
            try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == fixture.account)
    }

    @Test("A server that could not be told of a sign-out is reported")
    func notRevoked() async throws {
        let fixture = try await InsForgeFixture()
        let refreshes = RefreshMonitor()
        let provider = InsForgeProvider(
            settings: InsForgeSettings(
                baseURL: try ServerURL(fixture.server.url.absoluteString, allowsLoopbackHTTP: true)),
            context: ProviderContext(
                name: "home",
                environment: IdentityEnvironment(
                    store: fixture.store, refreshMonitor: refreshes, time: fixture.clock.dates))
        )
        var reports = refreshes.reports().makeAsyncIterator()
        try await provider.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
        fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: "/api/auth/logout")
        try await provider.signOut(fixture.account)
        guard case .notRevoked(let account, let reason) = await reports.next() else {
            Issue.record("nothing was reported")
            return
        }
        #expect(account == fixture.account && (reason as? InsForgeAuthError)?.failureCode == "server_error")
        await fixture.server.stop()
    }

    @Test("Authorization is a live session, because InsForge has no scopes")
    func authorization() async throws {
        let (fixture, provider) = try await signedIn()
        #expect(
            try await provider.requestAuthorization(for: fixture.account, scopes: ["any"], deviceToken: "d") == nil)
        try await provider.signOut(fixture.account)
        await #expect(throws: SessionError.self) {
            try await provider.requestAuthorization(for: fixture.account, scopes: [], deviceToken: "d")
        }
        await fixture.server.stop()
    }
}
