import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

@Suite(.endsInTime) struct SmallProviderTests {
    private func credential(_ clock: ManualClock, backend: String = "https://id.example.com") -> Credential {
        Credential(
            accessToken: "stored token", refreshToken: "refresh", issuedAt: clock.now, expiresAt: clock.now + 3600,
            signedInAt: clock.now, backend: backend)
    }

    @Test("A stored account is found and its token handed out while it is valid; nothing is refreshed")
    func stored() async throws {
        let (store, clock) = (MemoryTokenStore(), ManualClock())
        let writer = ProviderSessions(
            realm: "work", origin: .anyone(at: "https://id.example.com"), store: store, time: clock.timeSource
        ) { _ in throw TestError() }
        let provider = IdentityProviders.storedAccount(
            realm: "work", backend: "https://id.example.com", store: store, time: clock.timeSource)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        try await writer.begin(credential(clock), for: .ada("work"))
        #expect(try await provider.activeAccount(scopes: [], deviceToken: "d") == .ada("work"))
        #expect(try await provider.accessToken(for: .ada("work"), scopes: []) == "stored token")
        clock.advance(by: .seconds(3600))
        await #expect(throws: StoredAccountError.refreshesElsewhere(realm: "work")) {
            try await provider.accessToken(for: .ada("work"), scopes: [])
        }
        #expect(try await provider.silentAccount(.ada("work"), scopes: [], deviceToken: "d").account == .ada("work"))
    }

    @Test(
        "A program that only reads a session leaves nothing behind that holds back the program whose session it is",
        arguments: [ReplayPolicy.never, .signInInstead])
    func reader(replay: ReplayPolicy) async throws {
        let (store, clock, refreshes) = (MemoryTokenStore(), ManualClock(), Locked(0))
        let owner = ProviderSessions(
            realm: "work", origin: .anyone(at: "https://id.example.com"), store: store, time: clock.timeSource,
            replay: replay
        ) { credential in
            refreshes.withLock { $0 += 1 }
            var next = credential
            (next.accessToken, next.refreshToken) = ("new token", "next")
            (next.issuedAt, next.expiresAt) = (clock.now, clock.now + 3600)
            return .refreshed(next)
        }
        try await owner.begin(credential(clock), for: .ada("work"))
        let reader = IdentityProviders.storedAccount(
            realm: "work", backend: "https://id.example.com", store: store, time: clock.timeSource)
        clock.advance(by: .seconds(3580))
        #expect(try await reader.accessToken(for: .ada("work"), scopes: []) == "stored token")
        clock.advance(by: .seconds(20))
        for _ in 0..<2 {
            await #expect(throws: StoredAccountError.refreshesElsewhere(realm: "work")) {
                try await reader.accessToken(for: .ada("work"), scopes: [])
            }
        }
        #expect(try await store.records(in: .refreshes).records.isEmpty)
        #expect(try await owner.credential(for: .ada("work"), scopes: []).accessToken == "new token")
        #expect(refreshes.withLock { $0 } == 1)
        #expect(try await reader.accessToken(for: .ada("work"), scopes: []) == "new token")
    }

    @Test("One account of several is answered for on its own")
    func severalAccounts() async throws {
        let (store, clock) = (MemoryTokenStore(), ManualClock())
        let sessions = ProviderSessions(
            realm: "work", origin: .anyone(at: "https://id.example.com"), store: store, time: clock.timeSource
        ) { _ in throw TestError() }
        try await sessions.begin(credential(clock), for: .ada("work"))
        clock.advance(by: .seconds(1))
        let bob = AccountID(account: "bob", realm: "work")
        try await sessions.begin(credential(clock), for: bob)
        #expect(try await sessions.lookUp().account == bob)
        #expect(try await sessions.lookUp(.ada("work")).account == .ada("work"))
        try await sessions.end(.ada("work"))
        guard case .absent(.signedOut) = try await sessions.lookUp(.ada("work")) else {
            Issue.record("signed out")
            return
        }
    }

    @Test("A guest stays the same on this device until it signs out")
    func guest() async throws {
        let store = MemoryTokenStore()
        let provider = IdentityProviders.anonymous(name: "guest", token: "public key", store: store)
        let guest = try #require(await provider.silentAccount(scopes: [], deviceToken: "d").account)
        let again = IdentityProviders.anonymous(name: "guest", token: "public key", store: store)
        #expect(try await again.silentAccount(scopes: [], deviceToken: "d").account == guest)
        #expect(try await again.accessToken(for: guest, scopes: []) == "public key")
        try await provider.signOut(guest)
        let next = try await provider.silentAccount(scopes: [], deviceToken: "d").account
        #expect(next != nil && next != guest)
        await #expect(throws: FixedTokenError.notSignedIn(guest)) {
            try await provider.accessToken(for: guest, scopes: [])
        }
        let poor = IdentityProviders.anonymous(name: "poor", store: store)
        let visitor = try #require(await poor.silentAccount(scopes: [], deviceToken: "d").account)
        await #expect(throws: FixedTokenError.self) { try await poor.accessToken(for: visitor, scopes: []) }
    }

    @Test("A given token that was refused cannot be replaced, unless the environment holds a newer one")
    func fixedTokens() async throws {
        let fixed = IdentityProviders.staticToken("abc", for: .ada("script"))
        #expect(try await fixed.accessToken(for: .ada("script"), scopes: []) == "abc")
        await #expect(throws: FixedTokenError.self) {
            try await fixed.accessToken(for: .ada("script"), scopes: [], resource: nil, freshness: .other(than: "abc"))
        }
        let variables = Locked(["SWIFT_IDENTITY_TOKEN": "old"])
        let environment = IdentityProviders.environmentToken(
            for: .ada("ci"), read: { name in variables.withLock { $0[name] } })
        #expect(try await environment.accessToken(for: .ada("ci"), scopes: []) == "old")
        variables.withLock { $0["SWIFT_IDENTITY_TOKEN"] = "new" }
        let newer = try await environment.accessToken(
            for: .ada("ci"), scopes: [], resource: nil, freshness: .other(than: "old"))
        #expect(newer == "new")
        variables.withLock { $0 = [:] }
        #expect(!environment.isConfigured)
        await #expect(throws: FixedTokenError.self) { try await environment.accessToken(for: .ada("ci"), scopes: []) }
    }

    @Test("All of them can be configured, with secrets from the environment")
    func configured() async throws {
        let configuration = try IdentityConfiguration(
            parsing: Data(
                """
                {"providers": [
                  {"name": "ci", "type": "environment-token", "settings": {"account": "robot"}},
                  {"name": "app", "type": "stored-account", "settings": {"backend": "https://id.example.com"}},
                  {"name": "script", "type": "static-token", "settings": {"token": "${SCRIPT_TOKEN}"}},
                  {"name": "guest", "type": "anonymous", "settings": {}}
                ]}
                """.utf8), variables: [:])
        let registry = ProviderRegistry(ProviderRegistry.corePlugins)
        let variables = ["SCRIPT_TOKEN": "s3cret"]
        let chain = try registry.makeChain(
            for: configuration, environment: IdentityEnvironment(store: MemoryTokenStore(), variables: variables))
        let account = try #require(await chain.silentAccount(scopes: [], deviceToken: "d").account)
        #expect(account == AccountID(account: "script", realm: "script"))
        #expect(try await chain.accessToken(for: account, scopes: []) == "s3cret")
        #expect(!"\(configuration)".contains("s3cret"))
    }
}
