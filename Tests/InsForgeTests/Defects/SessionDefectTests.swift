import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import IdentityLocalServers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The official SDK's defects in keeping, refreshing and ending a session.
@Suite struct SessionDefectTests {
    @Test(
        "defect D1: a refresh sends the canonical name, beside the one that old servers know", arguments: [false, true])
    func d1(isOldServer: Bool) async throws {
        try await InsForgeFixture.run({ $0.legacy.refreshReadsSnakeCaseOnly = isOldServer }) { fixture in
            let transport = RecordingTransport()
            let client = try await fixture.signedInClient { $0.global.transport = transport }
            fixture.expire()
            _ = try await client.auth.accessToken()
            let request = try #require(transport.requests(to: "/api/auth/refresh").first)
            #expect(request.json["refreshToken"]?.stringValue != nil)
            #expect(request.json["refreshToken"] == request.json["refresh_token"])
            #expect(request.url?.query == "client_type=mobile")
            #expect(request.bearer == nil)
            #expect(fixture.server.counters.refreshes == 1)
        }
    }

    @Test("defect D2: signing out tells the server, and works without one", arguments: [true, false])
    func d2(isOnline: Bool) async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            if !isOnline { await fixture.server.stop() }
            try await client.auth.signOut()
            #expect(client.auth.getSession() == nil)
            await #expect(throws: InsForgeAuthError.notSignedIn) { try await client.auth.accessToken() }
            if isOnline { #expect(fixture.requests(to: "/api/auth/logout") == 1) }
        }
    }

    @Test("defect D16: a late refresh does not undo a sign-out")
    func d16() async throws {
        try await InsForgeFixture.run { fixture in
            let transport = HeldTransport(holding: "/api/auth/refresh")
            let client = try await fixture.signedInClient { $0.global.transport = transport }
            fixture.expire()
            let refresh = Task { try await client.auth.accessToken() }
            await transport.answered()
            try await client.auth.signOut()
            transport.open()
            await #expect(throws: InsForgeAuthError.notSignedIn) { try await refresh.value }
            #expect(client.auth.getSession() == nil)
            #expect(fixture.client().auth.getSession() == nil)
        }
    }

    @Test("defect D16: a late sign-in does not undo a sign-out either")
    func d16SignIn() async throws {
        try await InsForgeFixture.run { fixture in
            let transport = HeldTransport(holding: "/api/auth/sessions")
            let client = fixture.client { $0.global.transport = transport }
            let user = fixture.server.user
            let signIn = Task { try await client.auth.signIn(email: user.email, password: user.password) }
            await transport.answered()
            try await client.auth.signOut()
            transport.open()
            await #expect(throws: InsForgeAuthError.cancelled) { try await signIn.value }
            #expect(client.auth.getSession() == nil)
        }
    }

    @Test("defect D17: a late refresh of one user does not replace the next one")
    func d17() async throws {
        let other = LocalInsForgeServer.User(email: "kim@example.org", password: "kims password", name: "Kim")
        try await InsForgeFixture.run({ $0.additionalUsers = [other] }) { fixture in
            let transport = HeldTransport(holding: "/api/auth/refresh")
            let client = try await fixture.signedInClient { $0.global.transport = transport }
            fixture.expire()
            let refresh = Task { try await client.auth.accessToken() }
            await transport.answered()
            try await client.auth.signIn(email: other.email, password: other.password)
            transport.open()
            _ = try? await refresh.value
            #expect(client.auth.getSession()?.user.id == other.id)
            #expect(try await client.auth.getCurrentUser()?.id == other.id)
            let first = AccountID(account: fixture.server.user.id, realm: "insforge")
            #expect(try await fixture.store.record(for: .account(first))?.content == nil)
            // Signing out leaves nobody, not the one before.
            try await client.auth.signOut()
            #expect(client.auth.getSession() == nil)
            #expect(try await fixture.store.records(in: .accounts).records.allSatisfy { $0.content == nil })
        }
    }

    @Test("defect D18: signing out forgets every flow that waits, in memory and in the store")
    func d18() async throws {
        try await InsForgeFixture.run { fixture in
            let pages = OpenedPages()
            let client = fixture.client { $0.auth.openURL = pages.open }
            try await client.auth.signInWithOAuthView(provider: .google, redirectTo: "example://cb")
            _ = client.auth.signInWithDefaultView(redirectTo: "example://cb")
            let callback = try await fixture.visit(try #require(pages.all.first))
            try await client.auth.signOut()
            for client in [client, fixture.client()] {
                let error = await #expect(throws: InsForgeAuthError.self) {
                    try await client.auth.handleAuthCallback(callback)
                }
                #expect(error?.failureCode == "invalid_callback")
            }
            let error = await #expect(throws: InsForgeAuthError.self) {
                try await client.auth.handleAuthCallback(callback)
            }
            #expect(error?.message.contains("signed out") == true)
            #expect(try await fixture.store.records(in: .pendingFlows).records.allSatisfy { $0.content == nil })
        }
    }

    @Test("defect D19: what fails after a refresh is told as itself, and ends no session")
    func d19() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            let refused = Fault.answer(
                .json(["error": "AUTH_UNAUTHORIZED", "message": "Invalid token", "statusCode": 401], status: 401))
            let profile = "/api/auth/profiles/current"
            fixture.server.http.fail(refused, pathPrefix: profile)
            fixture.server.http.fail(.answer(.text("", status: 500)), pathPrefix: profile)
            await #expect(throws: InsForgeAuthError.server(status: 500, code: "no error code")) {
                try await client.auth.setProfile(["name": "New"])
            }
            #expect(fixture.server.counters.refreshes == 1)
            #expect(client.auth.getSession() != nil)

            fixture.server.http.fail(refused, pathPrefix: profile)
            fixture.server.http.fail(.dropAnswer, pathPrefix: "/api/auth/refresh")
            let error = await #expect(throws: InsForgeAuthError.self) {
                try await client.auth.setProfile(["name": "New"])
            }
            guard case .networkError? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(client.auth.getSession() != nil)
            #expect(try await client.auth.setProfile(["name": "New"]).name == "New")
        }
    }

    @Test("defect D19: only a refusal of the refresh itself ends the session", arguments: [429, 500, 503])
    func d19Refresh(status: Int) async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            fixture.expire()
            fixture.server.http.fail(.answer(.text("", status: status)), pathPrefix: "/api/auth/refresh")
            let error = await #expect(throws: InsForgeAuthError.self) { try await client.auth.accessToken() }
            #expect(error?.failureClass == .transient)
            fixture.clock.advance(by: .seconds(60))
            _ = try await client.auth.accessToken()
            fixture.server.deleteUser(id: fixture.server.user.id)
            fixture.expire()
            await #expect(throws: InsForgeAuthError.userNotFound) { try await client.auth.accessToken() }
            await #expect(throws: InsForgeAuthError.userNotFound) { try await client.auth.accessToken() }
        }
    }

    @Test("defect D20: a late refusal of an old token gets the newer one without another refresh")
    func d20() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            let old = try await client.auth.accessToken()
            fixture.clock.advance(by: .seconds(1))
            let new = try await client.auth.refreshAccessToken().accessToken
            #expect(new != old)
            #expect(try await client.auth.accessToken(replacing: old) == new)
            #expect(fixture.server.counters.refreshes == 1)
        }
    }

    @Test("defect D33: key and session are known when the client is made, and nothing older comes in later")
    func d33() async throws {
        let other = LocalInsForgeServer.User(email: "kim@example.org", password: "kims password", name: "Kim")
        for isImmediate in [true, false] {
            let memory = MemoryTokenStore()
            let store: any TokenStore = isImmediate ? memory : SlowStore(memory)
            try await InsForgeFixture.run(store: store, { $0.additionalUsers = [other] }) { fixture in
                _ = try await fixture.signedInClient()
                let client = fixture.client()
                #expect(client.anonKey == fixture.server.anonKey)
                if isImmediate { #expect(client.auth.getSession()?.user.id == fixture.server.user.id) }
                try await client.auth.signIn(email: other.email, password: other.password)
                // Whatever was being restored is done once a token was handed out.
                _ = try await client.auth.accessToken()
                #expect(client.auth.getSession()?.user.id == other.id)
            }
        }
    }

    @Test("defect D39: a session knows when it ends on this machine's clock, whatever the server's clock says")
    func d39() async throws {
        let serverClock = ManualClock(start: Date(timeIntervalSince1970: 1_000_000_000))
        let server = try await LocalInsForgeServer.start(time: serverClock.timeSource)
        let clock = ManualClock()
        var options = InsForgeClientOptions(
            auth: .init(storage: InMemoryAuthStorage()),
            global: .init(allowsLoopbackHTTP: true, logDestination: .none))
        options.time = clock.dates
        let client = InsForgeClient(baseURL: server.url, anonKey: server.anonKey, options: options)
        try await client.auth.signIn(email: server.user.email, password: server.user.password)
        #expect(client.auth.getSession()?.expiresAt == clock.now + 900)
        let token = try await client.auth.accessToken()
        #expect(server.counters.refreshes == 0)
        clock.advance(by: .seconds(850))
        serverClock.advance(by: .seconds(850))
        #expect(try await client.auth.accessToken() != token)
        #expect(server.counters.refreshes == 1)
        // The server's clock runs ahead: its refusal refreshes the token, too.
        serverClock.advance(by: .seconds(900))
        #expect(try await client.auth.getCurrentUser()?.id == server.user.id)
        #expect(server.counters.refreshes == 2)
        await server.stop()
    }
}
