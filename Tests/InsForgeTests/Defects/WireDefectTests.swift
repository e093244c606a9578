import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The official SDK's defects in what it sends and how it reads the answers.
@Suite struct WireDefectTests {
    @Test(
        "defect D21: a senseless Retry-After is ignored, a sensible one is told, and nothing waits for either",
        arguments: [
            ("900", 900), ("0", 0), ("-1", nil), ("nan", nil), ("inf", nil), ("1e300", nil), ("99999999999", nil),
            ("Fri, 31 Dec 2027 23:59:59 GMT", nil), ("", nil),
        ] as [(String, Int?)])
    func d21(header: String, seconds: Int?) async throws {
        try await InsForgeFixture.run { fixture in
            fixture.server.http.fail(
                .answer(LocalResponse.text("", status: 429).with(header: "Retry-After", header)),
                pathPrefix: "/api/auth/sessions")
            // The fixture's clock does not move by itself, so a client that slept would never come back.
            let client = fixture.client { $0.time = fixture.clock.timeSource }
            await #expect(throws: InsForgeAuthError.rateLimited(retryAfter: seconds.map { .seconds($0) })) {
                try await client.auth.signIn(email: "a@example.org", password: "b")
            }
            #expect(fixture.requests(to: "/api/auth/sessions") == 1)
        }
    }

    @Test("defect D22: sign-up, another mail and a reset work where the project mails links")
    func d22() async throws {
        try await InsForgeFixture.run({
            $0.requireEmailVerification = true
            $0.verifyEmailMethod = .link
            $0.resetPasswordMethod = .link
            $0.enforcesRateLimits = false
        }) { fixture in
            let client = fixture.client()
            let missing = InsForgeAuthError.invalidInput(
                "redirectTo is required when link-based email verification is enabled")
            await #expect(throws: missing) {
                try await client.auth.signUp(email: "new@example.org", password: "horse-battery-9")
            }
            let response = try await client.auth.signUp(
                email: "new@example.org", password: "horse-battery-9", redirectTo: "example://cb")
            #expect(response.needsEmailVerification)
            try await client.auth.resendVerificationEmail(email: "new@example.org", redirectTo: "example://cb")
            try await client.auth.sendPasswordReset(email: "new@example.org", redirectTo: "example://cb")
            #expect(fixture.server.outbox.count == 3)
            #expect(fixture.server.outbox.allSatisfy { $0.link != nil })
        }
    }

    @Test("defect D23: verifying an address takes an address")
    func d23() async throws {
        try await InsForgeFixture.run { fixture in
            let client = fixture.client()
            let verify: (String, String) async throws -> AuthResponse = client.auth.verifyEmail(email:code:)
            await #expect(throws: InsForgeAuthError.self) { try await verify("", "123456") }
        }
    }

    @Test(
        "A request of which only the success matters succeeds with any body but a page for people",
        arguments: [("", "application/json", true), ("sent", "text/plain", true), ("<html>", "text/html", false)])
    func ignoredBody(body: String, type: String, succeeds: Bool) async throws {
        try await InsForgeFixture.run { fixture in
            let response = LocalResponse(status: 200, headers: [("Content-Type", type)], body: Data(body.utf8))
            fixture.server.http.fail(.answer(response), pathPrefix: "/api/auth/email/send-otp")
            var failure: InsForgeAuthError?
            do {
                try await fixture.client().auth.sendSignInCode(email: "ada@example.org")
            } catch {
                failure = error as? InsForgeAuthError
            }
            #expect(failure == (succeeds ? nil : .unreadableResponse(status: 200)))
        }
    }

    @Test("defect D24: the providers of a user are read from where the server writes them")
    func d24() async throws {
        try await InsForgeFixture.run { fixture in
            let client = fixture.client { $0.auth.browser = fixture.person }
            let response = try await client.auth.signInWithOAuthView(provider: .github, redirectTo: "example://cb")
            #expect(response?.user.providers == ["github", "email"])
            #expect(client.auth.getSession()?.user.providers == ["github", "email"])
        }
    }

    @Test("defect D25: members of a profile survive, and a name that is no text breaks nothing")
    func d25() async throws {
        let profile: [String: JSONValue] = [
            "name": 7, "theme": "dark", "tags": ["a", 1, nil], "nested": ["deep": ["er": true]],
            "big": 9_007_199_254_740_993,
        ]
        try await InsForgeFixture.run({ $0.user.profile = profile }) { fixture in
            let client = try await fixture.signedInClient()
            let user = try #require(client.auth.getSession()?.user)
            #expect(user.profile?.members == profile)
            #expect(user.profile?.name == nil)
            let updated = try await client.auth.setProfile(["bio": "x", "nothing": nil] as [String: JSONValue])
            let expected = profile.merging(["bio": "x", "nothing": nil]) { $1 }
            #expect(updated.profile?.members == expected)
            #expect(client.auth.getSession()?.user.profile?.members == expected)
            #expect(try await client.auth.getProfile(userId: user.id).profile?.members == expected)
        }
    }

    @Test("defect D26: in a profile true stays true and 1 stays 1")
    func d26() async throws {
        let profile: [String: JSONValue] = ["yes": true, "one": 1, "half": 0.5, "no": false, "zero": 0]
        try await InsForgeFixture.run({ $0.user.profile = profile }) { fixture in
            let client = try await fixture.signedInClient()
            let members = try #require(client.auth.getSession()?.user.profile?.members)
            #expect(members["yes"] == .bool(true) && members["one"] == .integer(1))
            #expect(members["no"] == .bool(false) && members["zero"] == .integer(0))
            #expect(members["half"] == .number(0.5))
        }
    }

    @Test(
        "defect D27: every client type there is can refresh, and the browser's is not offered",
        arguments: ClientType.allCases)
    func d27(type: ClientType) async throws {
        #expect(ClientType(rawValue: "web") == nil)
        try await InsForgeFixture.run { fixture in
            let transport = RecordingTransport()
            let client = try await fixture.signedInClient {
                $0.auth.clientType = type
                $0.global.transport = transport
            }
            fixture.expire()
            _ = try await client.auth.accessToken()
            try await client.auth.signOut()
            #expect(fixture.server.counters.refreshes == 1)
            let queries = transport.requests.filter { $0.httpMethod == "POST" }.map { $0.url?.query }
            #expect(queries == Array(repeating: "client_type=\(type.rawValue)", count: 3))
        }
    }

    @Test("defect D32: the transport of the options is the one that is used, with the app's own header fields")
    func d32() async throws {
        try await InsForgeFixture.run { fixture in
            let transport = RecordingTransport()
            let client = fixture.client {
                $0.global.transport = transport
                $0.global.headers = ["X-App": "1", "Authorization": "Bearer wrong", "Content-Type": "text/plain"]
            }
            _ = try await client.auth.signUp(email: "new@example.org", password: "horse-battery-9")
            let request = try #require(transport.requests(to: "/api/auth/users").first)
            #expect(request.value(forHTTPHeaderField: "X-App") == "1")
            #expect(request.bearer == "Bearer \(fixture.server.anonKey)")
            #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
            #expect(transport.requests.count == fixture.server.http.log.count)
        }
    }

    @Test("defect D35: nothing but an identifier gets into a path")
    func d35() async throws {
        try await InsForgeFixture.run { fixture in
            let client = fixture.client { $0.auth.browser = fixture.person }
            for id in ["../users", "current", "a/b", "", "7f1c2a52-0b5e-4c0e-9a63-5d1f0b7a9e1", "%2e%2e"] {
                await #expect(throws: InsForgeAuthError.invalidInput("The identifier of a user is a UUID.")) {
                    try await client.auth.getProfile(userId: id)
                }
            }
            for key in ["../google", "A", "a b", "", String(repeating: "a", count: 65), "a/b", "ä"] {
                let error = await #expect(throws: InsForgeAuthError.self) {
                    try await client.auth.signInWithOAuthView(providerKey: key, redirectTo: "example://cb")
                }
                #expect(error?.failureCode == "invalid_input")
            }
            #expect(fixture.server.http.log.isEmpty)
            _ = try await client.auth.getProfile(userId: fixture.server.user.id.uppercased())
            _ = try await client.auth.signInWithOAuthView(providerKey: "mock", redirectTo: "example://cb")
        }
    }

    @Test("defect D37: each refusal of the server is an error of its own type")
    func d37() async throws {
        try await InsForgeFixture.run({ $0.requireEmailVerification = true }) { fixture in
            let client = fixture.client()
            let (email, password) = (fixture.server.user.email, fixture.server.user.password)
            await #expect(throws: InsForgeAuthError.invalidCredentials) {
                try await client.auth.signIn(email: email, password: "wrong")
            }
            await #expect(throws: InsForgeAuthError.userAlreadyExists) {
                try await client.auth.signUp(email: email, password: password)
            }
            await #expect(throws: InsForgeAuthError.weakPassword("Password must contain at least 6 characters long")) {
                try await client.auth.signUp(email: "new@example.org", password: "x")
            }
            _ = try await client.auth.signUp(email: "new@example.org", password: "horse-battery-9")
            await #expect(throws: InsForgeAuthError.emailNotVerified) {
                try await client.auth.signIn(email: "new@example.org", password: "horse-battery-9")
            }
            await #expect(throws: InsForgeAuthError.invalidCode("Invalid or expired verification code")) {
                try await client.auth.verifyEmail(email: "other@example.org", code: "123456")
            }
            await #expect(throws: InsForgeAuthError.userNotFound) {
                try await client.auth.getProfile(userId: UUID().uuidString)
            }
            fixture.server.reconfigure { $0.disableSignup = true }
            await #expect(throws: InsForgeAuthError.signupDisabled) {
                try await client.auth.signUp(email: "third@example.org", password: "horse-battery-9")
            }
            client.setAnonKey("anon_wrong")
            await #expect(throws: InsForgeAuthError.invalidKey) {
                try await client.auth.signUp(email: "third@example.org", password: "horse-battery-9")
            }
        }
    }

    @Test("defect D40: no cookie is kept or sent, and no answer comes out of a cache")
    func d40() async throws {
        let seen = Locked<[LocalRequest]>([])
        let server = try await LocalHTTPServer.start { request in
            seen.withLock { $0.append(request) }
            return LocalResponse.json(["oAuthProviders": []])
                .with(header: "Set-Cookie", "insforge_refresh_token=planted; Path=/")
                .with(header: "ETag", "W/\"1\"").with(header: "Cache-Control", "max-age=3600")
        }
        let client = InsForgeClient(
            baseURL: server.url, anonKey: "anon",
            options: .init(
                auth: .init(storage: InMemoryAuthStorage()),
                global: .init(allowsLoopbackHTTP: true, logDestination: .none)))
        for _ in 0..<2 { _ = try await client.auth.getPublicConfig() }
        let requests = seen.withLock { $0 }
        #expect(requests.count == 2)
        for request in requests {
            #expect(request.header("Cookie") == nil && request.header("If-None-Match") == nil)
        }
        await server.stop()
    }
}
