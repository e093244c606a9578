import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@testable import InsForge

/// The names of InsForge's own Swift package.
@Suite struct ClientNamesTests {
    @Test("getAccessToken() returns a token, or nil when no user is signed in")
    func accessToken() async throws {
        try await InsForgeFixture.run { fixture in
            let client = fixture.client()
            #expect(try await client.auth.getAccessToken() == nil)
            try await client.auth.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
            let token = try await client.auth.getAccessToken()
            #expect(token == client.auth.getSession()?.accessToken && token != nil)
            fixture.server.deleteUser(id: fixture.server.user.id)
            fixture.expire()
            #expect(try await client.auth.getAccessToken() == nil)
        }
    }

    @Test("updateProfile() takes what JSON has, and nothing else")
    func profile() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            let name = "Kim"
            let profile = try await client.auth.updateProfile([
                "name": name, "age": 7, "half": 0.5, "isNew": true, "tags": ["a", "b"], "nested": ["deep": 1],
                "nothing": NSNull(), "json": JSONValue.integer(9_007_199_254_740_993),
            ])
            #expect(profile.name == "Kim" && client.auth.getSession()?.user.name == "Kim")
            let members = try #require(profile.profile?.members)
            #expect(members["age"] == .integer(7) && members["half"] == .number(0.5) && members["isNew"] == .bool(true))
            #expect(members["tags"] == ["a", "b"] && members["nested"] == ["deep": 1] && members["nothing"] == .null)
            #expect(members["json"] == .integer(9_007_199_254_740_993))
            for value in [Date(), Double.nan, Data()] as [Any] {
                await #expect(
                    throws: InsForgeAuthError.invalidInput("when cannot be written as JSON.")
                ) { try await client.auth.updateProfile(["when": value]) }
            }
        }
    }

    @Test("sendEmailVerification() and verifyEmail(email:otp:) prove an address")
    func verification() async throws {
        try await InsForgeFixture.run({ $0.requireEmailVerification = true }) { fixture in
            let auth = fixture.client().auth
            _ = try await auth.signUp(email: "new@example.org", password: "horse-battery-9")
            fixture.clock.advance(by: .seconds(60))
            try await auth.sendEmailVerification(email: "new@example.org")
            #expect(fixture.server.outbox.count == 2)
            #expect(try await auth.verifyEmail(email: "new@example.org", otp: fixture.mailedCode).user.emailVerified)
        }
    }

    @Test("setAuthStateChangeListener() tells of the session there is, of each change, and of the end")
    func listener() async throws {
        try await InsForgeFixture.run { fixture in
            _ = try await fixture.signedInClient()
            let client = fixture.client()
            let (sessions, continuation) = AsyncStream.makeStream(of: Session?.self)
            let replaced = Locked(0)
            client.auth.setAuthStateChangeListener { _ in replaced.withLock { $0 += 1 } }
            client.auth.setAuthStateChangeListener { continuation.yield($0) }
            var told = sessions.makeAsyncIterator()
            #expect(try #require(await told.next())?.user.id == fixture.server.user.id)
            try await client.auth.setProfile(["name": "New"])
            #expect(try #require(await told.next())?.user.name == "New")
            try await client.auth.signOut()
            #expect(try #require(await told.next()) == nil)
            // The session before it was replaced, at most.
            #expect(replaced.withLock { $0 } <= 1)
        }
    }

    @Test("Requests that only read are repeated where the options say so, and no others")
    func retry() async throws {
        try await InsForgeFixture.run { fixture in
            let busy = Fault.answer(.text("", status: 503))
            let quick = RetryConfiguration(maxRetries: 2, baseDelay: 0, maxDelay: 0)
            let patient = fixture.client { $0.global.retry = quick }
            fixture.server.http.fail(busy, pathPrefix: "/api/auth/public-config", times: 2)
            _ = try await patient.auth.getPublicConfig()
            #expect(fixture.requests(to: "/api/auth/public-config") == 3)

            fixture.server.http.fail(busy, pathPrefix: "/api/auth/public-config", times: 3)
            await #expect(throws: InsForgeAuthError.server(status: 503, code: "no error code")) {
                try await patient.auth.getPublicConfig()
            }
            fixture.server.http.fail(busy, pathPrefix: "/api/auth/sessions")
            await #expect(throws: InsForgeAuthError.self) {
                try await patient.auth.signIn(email: "a@example.org", password: "b")
            }
            #expect(fixture.requests(to: "/api/auth/sessions") == 1)
            // A server that asks for more patience than there is gets none.
            fixture.server.http.fail(
                .answer(LocalResponse.text("", status: 429).with(header: "Retry-After", "60")),
                pathPrefix: "/api/auth/public-config")
            await #expect(throws: InsForgeAuthError.rateLimited(retryAfter: .seconds(60))) {
                try await patient.auth.getPublicConfig()
            }
            // Nothing is repeated unless it is wanted.
            fixture.server.http.fail(busy, pathPrefix: "/api/auth/public-config")
            await #expect(throws: InsForgeAuthError.self) { try await fixture.client().auth.getPublicConfig() }
        }
    }

    @Test("Clients that wait the longest pause do not repeat at the same time")
    func jitter() {
        for error in [InsForgeAuthError.rateLimited(retryAfter: nil), .rateLimited(retryAfter: .seconds(30))] {
            let pauses = (0..<20).map { _ in RetryConfiguration(maxRetries: 9).pause(after: error, attempts: 9) }
            #expect(Set(pauses).count > 1)
            let exact = RetryConfiguration(maxRetries: 9, useJitter: false)
            #expect(exact.pause(after: error, attempts: 9) == .seconds(30))
        }
    }

    @Test(
        "Senseless numbers of a rule for repetitions do no harm",
        arguments: [Double.nan, .infinity, -.infinity, -1, 1e300, 0])
    func senseless(number: Double) {
        for rule in [
            RetryConfiguration(maxRetries: -3, baseDelay: number, maxDelay: number),
            RetryConfiguration(maxRetries: .max, baseDelay: number, maxDelay: number),
        ] {
            for attempts in [1, 2000] {
                let pause = rule.pause(after: InsForgeAuthError.rateLimited(retryAfter: nil), attempts: attempts)
                #expect(pause.map { $0 >= .zero && $0 <= .seconds(rule.maxDelay) } ?? (rule.maxRetries == 0))
            }
            #expect(rule.maxRetries >= 0 && 0...3600 ~= rule.maxDelay && rule.baseDelay.isFinite && rule.baseDelay >= 0)
        }
    }
}
