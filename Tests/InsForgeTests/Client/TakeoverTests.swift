import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing

@testable import InsForge

/// An app that moves here from InsForge's own Swift SDK. The samples are written by hand, in the form that SDK uses: one
/// JSON object in the Keychain, and in versions before that in user defaults.
@Suite struct TakeoverTests {
    private static let item = KeychainName(service: "com.insforge.auth", account: "insforge.auth.session")
    private let keychain = FakeKeychain()

    /// The tokens of the server's first user, as that SDK writes them.
    private func sample(
        _ fixture: InsForgeFixture, _ change: (inout [String: Any]) -> Void = { _ in }
    ) async throws -> Data {
        let elsewhere = try await fixture.signedInClient { $0.auth.storage = InMemoryAuthStorage() }
        let session = try #require(elsewhere.auth.getSession())
        var object: [String: Any] = [
            "accessToken": session.accessToken,
            "refreshToken": try #require(fixture.server.issuedTokens.last { $0.kind == .refresh }?.token).reveal(),
            "user": [
                "id": session.user.id, "email": session.user.email, "name": "Ada", "emailVerified": true,
                "identities": [["provider": "email"]], "providerType": "email", "role": "authenticated",
                "createdAt": "2026-01-02T03:04:05Z", "updatedAt": "2026-01-02T03:04:05Z",
            ] as [String: Any],
        ]
        change(&object)
        return try JSONSerialization.data(withJSONObject: object)
    }

    private func put(_ content: Data) { keychain.replace(Self.item, with: KeychainItem(tag: Data(), value: content)) }

    private var isThere: Bool { keychain.items[Self.item] != nil }

    /// A client as an app has it after the update.
    private func updated(
        _ fixture: InsForgeFixture, store: (any TokenStore)? = nil, defaults: [FormerDefaults] = []
    ) -> InsForgeClient {
        fixture.client(store: store) {
            $0.auth.formerStorage = FormerStorage(keychain: FormerKeychain(keychain), defaults: defaults)
        }
    }

    @Test("The session goes on: shown at once, told once, stored here, and then removed where it was")
    func keychainItem() async throws {
        for isImmediate in [true, false] {
            let memory = MemoryTokenStore()
            try await InsForgeFixture.run(store: isImmediate ? memory : SlowStore(memory)) { fixture in
                put(try await sample(fixture))
                let client = updated(fixture)
                if isImmediate { #expect(client.auth.getSession()?.user.email == fixture.server.user.email) }
                var events = client.auth.authEvents.makeAsyncIterator()
                guard case .signedIn(let user)? = await events.next() else {
                    Issue.record("the user is told of first")
                    return
                }
                #expect(user.id == fixture.server.user.id && user.name == "Ada" && user.providers == ["email"])
                let before = fixture.server.counters
                #expect(try await client.auth.accessToken() == client.auth.getSession()?.accessToken)
                #expect(fixture.server.counters == before)
                #expect(isThere, "the server has not said yet whether it knows this session")
                #expect(fixture.client().auth.getSession() != nil || !isImmediate)
                try await client.auth.signOut()
                #expect(await events.next() == .signedOut)
                #expect(!isThere)
            }
        }
    }

    @Test("An expired access token is refreshed with the refresh token that was kept")
    func expired() async throws {
        try await InsForgeFixture.run { fixture in
            put(try await sample(fixture))
            fixture.expire()
            let client = updated(fixture)
            let old = client.auth.getSession()?.accessToken
            let token = try await client.auth.accessToken()
            #expect(old != nil && token != old && !isThere)
            #expect(try await client.auth.getCurrentUser()?.id == fixture.server.user.id)
        }
    }

    /// A form in which that SDK writes a user.
    enum Form: CaseIterable {
        /// Until version 0.0.8.
        case name
        /// Since version 0.0.9.
        case profile
        /// Likewise, for a user without a name.
        case withoutProfile

        func write(_ user: inout [String: Any]) {
            guard self != .name else { return }
            for member in ["name", "identities", "providerType", "role"] { user[member] = nil }
            user["metadata"] = ["plan": "pro"]
            guard self == .profile else { return }
            user["profile"] = ["name": "Ada", "avatar_url": "https://img.example/ada.png"]
        }
    }

    @Test("Name, picture and the rest of the user are read in each form", arguments: Form.allCases)
    func forms(form: Form) async throws {
        try await InsForgeFixture.run { fixture in
            put(
                try await sample(fixture) { object in
                    var user = object["user"] as? [String: Any] ?? [:]
                    form.write(&user)
                    object["user"] = user
                })
            let client = updated(fixture)
            _ = try await client.auth.accessToken()
            let user = try #require(client.auth.getSession()?.user)
            #expect(user.name == (form == .withoutProfile ? nil : "Ada"))
            #expect(user.profile?.avatarUrl == (form == .profile ? "https://img.example/ada.png" : nil))
            #expect(user.metadata == (form == .name ? nil : ["plan": "pro"]))
            #expect(user.emailVerified && user.createdAt == "2026-01-02T03:04:05Z")
            let account = AccountID(account: user.id, realm: "insforge")
            let record = try #require(try await fixture.store.record(for: .account(account))?.content)
            let profile = try JSONValue(parsing: record)["credential"]?["profile"]
            #expect((profile?["picture"] != nil) == (form == .profile))
        }
    }

    @Test("The copy stays while the outcome is unknown, and goes with the server's first word for the session")
    func accepted() async throws {
        try await InsForgeFixture.run { fixture in
            put(try await sample(fixture))
            fixture.expire()
            let client = updated(fixture)
            fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: "/api/auth/refresh")
            await #expect(throws: InsForgeAuthError.self) { try await client.auth.accessToken() }
            #expect(isThere)
            fixture.clock.advance(by: .seconds(60))
            // Another process gets the token, and this app finds that out at its next start.
            let store = fixture.store
            let elsewhere = fixture.client(store: store) { $0.auth.takesOverSession = false }
            _ = try await elsewhere.auth.accessToken()
            #expect(isThere)
            _ = try await updated(fixture).auth.accessToken()
            #expect(!isThere)
        }
    }

    @Test("A server that does not know the session leaves the copy, once, for the one that does")
    func anotherServer() async throws {
        try await InsForgeFixture.run { own in
            put(try await sample(own))
            try await InsForgeFixture.run(store: own.store) { other in
                for fixture in [own, other] { fixture.expire() }
                let mistaken = updated(other)
                await #expect(throws: InsForgeAuthError.sessionExpired) { try await mistaken.auth.accessToken() }
                #expect(isThere)
                let refusals = other.requests(to: "/api/auth/refresh")
                let again = updated(other)
                await #expect(throws: InsForgeAuthError.sessionExpired) { try await again.auth.accessToken() }
                #expect(again.auth.getSession() == nil && isThere)
                #expect(other.requests(to: "/api/auth/refresh") == refusals)
            }
            let right = updated(own)
            #expect(try await right.auth.getCurrentUser()?.id == own.server.user.id)
            #expect(!isThere)
        }
    }

    @Test("A session of earlier versions in user defaults goes on")
    func userDefaults() async throws {
        try await InsForgeFixture.run { fixture in
            let suite = "swift-identity-tests-\(UUID().uuidString)"
            let defaults = try #require(UserDefaults(suiteName: suite))
            defer { defaults.removePersistentDomain(forName: suite) }
            let content = try await sample(fixture) { object in
                var user = object["user"] as? [String: Any] ?? [:]
                (user["createdAt"], user["emailVerified"]) = (788_918_400.0, nil)
                object["user"] = user
            }
            defaults.set(content, forKey: "insforge.auth.session")
            let client = updated(fixture, defaults: [FormerDefaults(suite: suite)])
            _ = try await client.auth.getCurrentUser()
            #expect(UserDefaults(suiteName: suite)?.data(forKey: "insforge.auth.session") == nil)
        }
    }

    @Test("Signing out first of all ends the old session, and it does not come back")
    func signOut() async throws {
        try await InsForgeFixture.run { fixture in
            let content = try await sample(fixture)
            put(content)
            try await updated(fixture).auth.signOut()
            #expect(!isThere)
            put(content)
            let client = updated(fixture)
            await #expect(throws: InsForgeAuthError.notSignedIn) { try await client.auth.accessToken() }
            #expect(client.auth.getSession() == nil && !isThere)
        }
    }

    @Test("A user who is signed in here stays, and is told of once")
    func oursWins() async throws {
        try await InsForgeFixture.run { fixture in
            let content = try await sample(fixture)
            // Two tokens of one second are the same.
            fixture.clock.advance(by: .seconds(1))
            let token = try await fixture.signedInClient().auth.accessToken()
            put(content)
            let client = updated(fixture)
            var events = client.auth.authEvents.makeAsyncIterator()
            #expect(await events.next() == client.auth.getSession().map { .signedIn($0.user) })
            #expect(try await client.auth.accessToken() == token)
            #expect(!isThere)
            try await client.auth.signOut()
            #expect(await events.next() == .signedOut)
        }
    }

    @Test("While the Keychain is locked nobody is signed out; afterwards the session is there")
    func locked() async throws {
        for answer in FakeKeychain.LockedAnswer.allCases {
            try await InsForgeFixture.run { fixture in
                put(try await sample(fixture))
                keychain.lock(answering: answer)
                let client = updated(fixture)
                for call in [{ _ = try await client.auth.accessToken() }, client.auth.signOut] {
                    let error = await #expect(throws: InsForgeAuthError.self) { try await call() }
                    guard case .storeFailed(.locked) = error else { throw error ?? .notSignedIn }
                }
                keychain.lock(answering: nil)
                _ = try await client.auth.getCurrentUser()
                #expect(!isThere)
            }
        }
    }

    @Test("A store that cannot be written loses nothing")
    func failingStore() async throws {
        let store = FaultyTokenStore()
        try await InsForgeFixture.run(store: store) { fixture in
            put(try await sample(fixture))
            store.fail(.write, with: TokenStoreError.full(path: "x"))
            let client = updated(fixture)
            await #expect(throws: InsForgeAuthError.storeFailed(.full(path: "x"))) {
                try await client.auth.accessToken()
            }
            #expect(isThere)
            store.heal()
            _ = try await client.auth.getCurrentUser()
            #expect(!isThere)
        }
    }

    @Test("A session that cannot be stored yet is not told of as ended, and is stored later", .endsInTime)
    func waiting() async throws {
        let store = FullStore()
        try await InsForgeFixture.run(store: store) { fixture in
            put(try await sample(fixture))
            let sleepers = fixture.clock.sleeperCount
            let client = fixture.client { [keychain] in
                $0.auth.formerStorage = FormerStorage(keychain: FormerKeychain(keychain), defaults: [])
                $0.time = fixture.clock.timeSource
            }
            let events = client.auth.authEvents
            while fixture.clock.sleeperCount == sleepers { await Task.yield() }
            store.isFull.withLock { $0 = false }
            fixture.clock.advance(by: .seconds(1))
            try await client.auth.setProfile(["name": "The last"])
            for await event in events {
                #expect(event != .signedOut)
                if case .userUpdated(let user) = event, user.name == "The last" { break }
            }
        }
    }

    @Test("What is no session is left where it is, and signing in works")
    func unreadable() async throws {
        try await InsForgeFixture.run { fixture in
            let samples = [
                Data(), Data("no JSON".utf8), Data(#"{"accessToken":"a"}"#.utf8), Data(#"[1]"#.utf8),
                Data(String(repeating: "[", count: 100_000).utf8),
                try await sample(fixture) { $0["user"] = ["id": "somebody else"] },
                try await sample(fixture) { $0["accessToken"] = "a\u{0}" },
                try await sample(fixture) { $0["user"] = ["id": ""] },
            ]
            for (index, content) in samples.enumerated() {
                put(content)
                let client = updated(fixture, store: MemoryTokenStore())
                #expect(client.auth.getSession() == nil, "sample \(index)")
                await #expect(throws: InsForgeAuthError.notSignedIn) { try await client.auth.accessToken() }
                #expect(isThere, "sample \(index)")
                try await client.auth.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
                #expect(client.auth.getSession() != nil)
            }
        }
    }

    @Test("Nothing is looked for when the options say so")
    func switchedOff() async throws {
        try await InsForgeFixture.run { fixture in
            put(try await sample(fixture))
            let client = fixture.client { [keychain] in
                $0.auth.takesOverSession = false
                $0.auth.formerStorage = FormerStorage(keychain: FormerKeychain(keychain), defaults: [])
            }
            await #expect(throws: InsForgeAuthError.notSignedIn) { try await client.auth.accessToken() }
            #expect(isThere)
        }
    }
}

/// A store in memory that can be read at once, and is full until a test empties it.
private struct FullStore: TokenStoreWrapper, ImmediateTokenStore {
    let isFull = Locked(true)
    private let memory = MemoryTokenStore()

    var wrapped: any TokenStore { memory }

    func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord {
        if isFull.withLock({ $0 }) { throw TokenStoreError.full(path: "x") }
        return try await memory.write(content, for: key, replacing: generation)
    }

    func immediateRecord(for key: StoreKey) throws -> StoreRecord?? { try memory.immediateRecord(for: key) }

    func immediateRecords(in collection: StoreKey.Collection) throws -> StoreListing? {
        try memory.immediateRecords(in: collection)
    }

    func immediateWrite(_ content: Data?, for key: StoreKey, replacing generation: UInt64) throws -> StoreRecord? {
        if isFull.withLock({ $0 }) { throw TokenStoreError.full(path: "x") }
        return try memory.immediateWrite(content, for: key, replacing: generation)
    }
}
