import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// A valid token costs no read, and a change by anybody is seen by the next call.
@Suite struct SessionCacheTests {
    @Test("A valid token is read once, then for half a minute not again")
    func noRead() async throws {
        let fixture = SessionsFixture()
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        _ = try await fixture.token(sessions)
        let (reads, leases) = (fixture.store.count(of: .read), fixture.store.count(of: .lease))
        for _ in 0..<1000 { _ = try await fixture.token(sessions) }
        #expect(fixture.store.count(of: .read) == reads)
        #expect(fixture.store.count(of: .lease) == leases)
        fixture.clock.advance(by: .seconds(31))
        _ = try await fixture.token(sessions)
        #expect(fixture.store.count(of: .read) == reads + 1)
    }

    @Test("Who needs the whole session reads it once more after a token, and whoever asks then not again")
    func wholeSession() async throws {
        let fixture = SessionsFixture()
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(scopes: ["read"]), for: fixture.account)
        _ = try await fixture.token(sessions)
        let reads = fixture.store.count(of: .read)
        for _ in 0..<10 {
            let credential = try await sessions.credential(for: fixture.account, scopes: ["read"])
            #expect(credential.refreshToken == "refresh-0" && credential.scopes == ["read"])
            #expect(try await fixture.token(sessions) == credential.accessToken.reveal())
        }
        #expect(fixture.store.count(of: .read) == reads + 1)
        // Kept whole from then on, also when only a token was asked for.
        fixture.clock.advance(by: .seconds(31))
        _ = try await fixture.token(sessions)
        _ = try await sessions.credential(for: fixture.account, scopes: [])
        #expect(fixture.store.count(of: .read) == reads + 2)
    }

    @Test("Accounts with one token each and different scopes are not confused")
    func scopes() async throws {
        let fixture = SessionsFixture()
        let sessions = fixture.sessions()
        let accounts = ["ada", "grace", "joan"].map { AccountID(account: $0, realm: "work") }
        for (account, scope) in zip(accounts, ["read", "read", "write"]) {
            try await sessions.begin(fixture.credential("of \(account.account)", scopes: [scope]), for: account)
        }
        for _ in 0..<2 {
            for (account, scope) in zip(accounts, ["read", "read", "write"]) {
                #expect(try await sessions.accessToken(for: account, scopes: [scope]) == "of \(account.account)")
                let other: Set = [scope == "read" ? "write" : "read"]
                await #expect(throws: SessionError.insufficientScope(account, missing: other)) {
                    try await sessions.accessToken(for: account, scopes: other)
                }
            }
        }
    }

    @Test("Every sign-out, sign-in and refresh elsewhere is seen by the very next call")
    func seenAtOnce() async throws {
        let files = try FileStoreFixture()
        let (here, there) = (SessionsFixture(store: try files.open()), try files.open())
        let (mine, others) = (here.sessions(), here.sessions(store: there))
        let account = here.account
        for round in 0..<20 {
            try await others.begin(here.credential("token of \(round)"), for: account)
            #expect(try await here.token(mine) == "token of \(round)")
            try await others.end(account)
            #expect(await here.failureCode(mine) == "not_signed_in")
        }
    }

    @Test("A store without markers is read for every token, and nothing else changes")
    func noMarkers() async throws {
        let fixture = SessionsFixture(store: HookedStore(base: MemoryTokenStore()))
        let sessions = try await fixture.expired()
        #expect(try await fixture.token(sessions) == "token-1")
        let reads = fixture.store.count(of: .read)
        for _ in 0..<10 { #expect(try await fixture.token(sessions) == "token-1") }
        #expect(fixture.store.count(of: .read) == reads + 10)
    }

    @Test("A sign-out in another process is told to those who listen")
    func events() async throws {
        let files = try FileStoreFixture()
        let (here, there) = (SessionsFixture(store: try files.open()), try files.open())
        try await here.sessions().begin(here.credential(), for: here.account)
        let changes = here.store.changes(in: .accounts)
        try await here.sessions(store: there).end(here.account)
        var iterator = changes.makeAsyncIterator()
        #expect(
            await iterator.next() == StoreChange(key: .account(here.account), generation: 2, hasContent: false))
    }
}
