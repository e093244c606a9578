import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite struct ProviderSessionsTests {
    private let fixture = SessionsFixture()
    private var account: AccountID { fixture.account }

    @Test("A valid token is handed out without an exchange")
    func valid() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: account)
        fixture.clock.advance(by: .seconds(2699))
        #expect(try await fixture.token(sessions) == "token")
        #expect(fixture.backend.requests == [])
    }

    @Test("An expired token is refreshed once, however many tasks and client objects ask")
    func onceForAll() async throws {
        let objects = [try await fixture.expired(), fixture.sessions(), fixture.sessions()]
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<60 { group.addTask { try await fixture.token(objects[index % 3]) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["token-1"])
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("A refused token is replaced, and only while it is still the current one")
    func rejected() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: account)
        #expect(try await fixture.token(sessions, replacing: "token") == "token-1")
        #expect(try await fixture.token(sessions, replacing: "token") == "token-1")
        #expect(try await fixture.token(fixture.sessions(), replacing: "token") == "token-1")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("Fifty tasks whose token was refused share one refresh")
    func rejectedForAll() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: account)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await fixture.token(sessions, replacing: "token") } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["token-1"])
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("Whoever gets the lease after somebody else's refresh takes what that brought")
    func readAgain() async throws {
        let other = try await fixture.expired()
        let store = HookedStore(base: fixture.store, beforeLease: { [fixture] in _ = try await fixture.token(other) })
        #expect(try await fixture.token(fixture.sessions(store: store)) == "token-1")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("A refusal ends the session for everybody, with its reason")
    func refusal() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.revoke()
        for sessions in [sessions, sessions, fixture.sessions()] {
            await #expect(throws: SessionError.ended(account, reason: "The refresh token was revoked.")) {
                try await fixture.token(sessions)
            }
        }
        #expect(fixture.backend.requests.count == 1)
        let lookup = try await sessions.lookUp()
        guard case .absent(.sessionEnded("The refresh token was revoked.")) = lookup else {
            Issue.record("\(lookup)")
            return
        }
    }

    @Test("A sign-out during a refresh wins, and what the refresh brought is revoked")
    func signOutWins() async throws {
        let sessions = try await fixture.expired()
        let other = fixture.sessions()
        fixture.backend.script(.after { [account] in try await other.end(account) })
        await #expect(throws: SessionError.notSignedIn(account)) { try await fixture.token(sessions) }
        guard case .absent(.signedOut) = try await sessions.lookUp() else {
            Issue.record("the session came back")
            return
        }
        #expect(fixture.backend.discarded == ["refresh-1"])
    }

    @Test("A sign-in during a refresh wins, also over a refusal", arguments: [false, true])
    func signInWins(refuses: Bool) async throws {
        let sessions = try await fixture.expired()
        let (other, fresh) = (fixture.sessions(), fixture.credential("fresh", refreshToken: "other"))
        if refuses { fixture.backend.revoke() }
        fixture.backend.script(.after { [account] in try await other.begin(fresh, for: account) })
        #expect(try await fixture.token(sessions) == "fresh")
        #expect(fixture.backend.discarded == ["refresh-0"] + (refuses ? [] : ["refresh-1"]))
    }

    @Test("A new sign-in is used at once, by everybody")
    func secondSignIn() async throws {
        let (sessions, other) = (fixture.sessions(), fixture.sessions())
        try await sessions.begin(fixture.credential(), for: account)
        #expect(try await fixture.token(sessions) == "token")
        try await other.begin(fixture.credential("fresh"), for: account)
        #expect(try await fixture.token(sessions) == "fresh")
        try await sessions.end(account)
        await #expect(throws: SessionError.notSignedIn(account)) { try await fixture.token(other) }
    }

    @Test("Without a refresh token the session lasts as long as its access token")
    func noRefreshToken() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(refreshToken: nil), for: account)
        fixture.clock.advance(by: .seconds(3599))
        #expect(try await fixture.token(sessions) == "token")
        fixture.clock.advance(by: .seconds(1))
        await #expect(throws: SessionError.cannotRefresh(account)) { try await fixture.token(sessions) }
    }

    @Test("A token without an expiry is used until it is refused")
    func noExpiry() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(lifetime: nil), for: account)
        fixture.clock.advance(by: .seconds(10_000_000))
        #expect(try await fixture.token(sessions) == "token")
        #expect(try await fixture.token(sessions, replacing: "token") == "token-1")
    }

    @Test("Scopes the session lacks are named")
    func scopes() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(scopes: ["openid"]), for: account)
        for _ in 0..<2 {
            _ = try await sessions.credential(for: account, scopes: ["openid"])
            await #expect(throws: SessionError.insufficientScope(account, missing: ["mail"])) {
                try await sessions.credential(for: account, scopes: ["openid", "mail"])
            }
        }
    }

    @Test("A session of another backend is neither used nor touched")
    func otherBackend() async throws {
        let moved = fixture.sessions()
        try await moved.begin(fixture.credential(backend: "https://other.example.com"), for: account)
        #expect(try await moved.lookUp().account == nil)
        let reason =
            "It belongs to https://other.example.com, and here https://id.example.com is configured. It is kept, and can be "
            + "used when its own configuration is back."
        await #expect(throws: SessionError.belongsElsewhere(account, reason: reason)) { try await fixture.token(moved) }
        #expect(try await fixture.store.record(for: .account(account))?.content != nil)
    }

    @Test("The account that signed in last is the one that is found")
    func lastSignIn() async throws {
        let sessions = fixture.sessions()
        let other = AccountID(account: "bob", realm: "work")
        try await sessions.begin(fixture.credential(), for: account)
        fixture.clock.advance(by: .seconds(10))
        try await sessions.begin(fixture.credential("bob's"), for: other)
        #expect(try await sessions.lookUp().account == other)
        try await sessions.end(other)
        #expect(try await sessions.lookUp().account == account)
    }

    @Test("A refresh token the backend does not repeat stays the session's")
    func unrepeatedRefreshToken() async throws {
        let sessions = fixture.sessions { credential in
            .refreshed(fixture.credential("after \(credential.refreshToken?.reveal() ?? "")", refreshToken: nil))
        }
        try await sessions.begin(fixture.credential(), for: account)
        for _ in 0..<2 {
            fixture.clock.advance(by: .seconds(3600))
            #expect(try await fixture.token(sessions) == "after refresh-0")
        }
    }

    @Test("What a later version added to a session survives a refresh, whatever the provider makes of it")
    func unknownMembers() async throws {
        _ = try await fixture.expired()
        let sessions = fixture.sessions { _ in .refreshed(fixture.credential("token-1")) }
        let record = try #require(try await fixture.store.record(for: .account(account)))
        let text = String(decoding: try #require(record.content), as: UTF8.self)
            .replacingOccurrences(of: #"{"credential":{"#, with: #"{"credential":{"addedLater":{"a":[1]},"#)
        try await fixture.store.write(Data(text.utf8), for: .account(account), replacing: record.generation)
        #expect(try await fixture.token(sessions) == "token-1")
        let refreshed = try await fixture.store.record(for: .account(account))?.content
        #expect(String(decoding: refreshed ?? Data(), as: UTF8.self).contains(#""addedLater":{"a":[1]}"#))
    }

    @Test(
        "A store that cannot be read is an error, never a signed-out user",
        arguments: [
            TokenStoreError.locked(detail: "Locked."), .unreadable(path: "p", detail: "EIO"),
            .corrupt(path: "p", detail: "torn"), .keyUnavailable(home: "h", detail: "d"),
        ])
    func unreadable(error: TokenStoreError) async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: account)
        fixture.store.fail(.read, with: error)
        fixture.store.fail(.list, with: error)
        await #expect(throws: error) { try await fixture.token(sessions) }
        await #expect(throws: error) { try await sessions.lookUp() }
        fixture.store.heal()
        #expect(try await fixture.token(sessions) == "token")
    }
}
