import Foundation
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityKit

/// The account that signed in last is found without reading all sessions, and found whatever its record says.
@Suite(.endsInTime) struct NewestAccountTests {
    private let fixture = SessionsFixture()
    private let bob = AccountID(account: "bob", realm: "work")
    private let current = StoreKey.currentAccount(ofRealm: "work")

    /// Who is found, and how often all sessions are read for it.
    private func look() async throws -> (account: AccountID?, listings: Int) {
        let before = fixture.store.count(of: .list)
        return (try await newest(), fixture.store.count(of: .list) - before)
    }

    /// Ada signs in, and Bob a second later.
    private func twoSignIns() async throws {
        try await fixture.sessions().begin(fixture.credential("ada's"), for: fixture.account)
        fixture.clock.advance(by: .seconds(1))
        try await fixture.sessions().begin(fixture.credential("bob's"), for: bob)
    }

    private func newest(_ store: (any TokenStore)? = nil) async throws -> AccountID? {
        try await fixture.sessions(store: store).lookUp().account
    }

    @Test("Two records are read, however many accounts there are")
    func twoReads() async throws {
        for number in 0..<50 {
            let account = AccountID(account: "\(number)", realm: "work")
            try await fixture.sessions().begin(fixture.credential(), for: account)
        }
        let reads = fixture.store.count(of: .read)
        #expect(try await look() == (AccountID(account: "49", realm: "work"), 0))
        #expect(fixture.store.count(of: .read) - reads == 2)
    }

    @Test("Each realm has its own")
    func realms() async throws {
        try await twoSignIns()
        let other = ProviderSessions(
            realm: "other", origin: .anyone(at: "https://id.example.com"), store: fixture.store,
            time: fixture.clock.dates
        ) { _ in throw CancellationError() }
        #expect(try await other.lookUp().account == nil)
        try await other.begin(fixture.credential(), for: AccountID(account: "eve", realm: "other"))
        #expect(try await newest() == bob)
    }

    @Test("Whoever follows the current account hears of a sign-in after its session is stored")
    func toldAfterwards() async throws {
        let changes = fixture.store.changes(in: nil)
        try await fixture.sessions().begin(fixture.credential("ada's"), for: fixture.account)
        let mark = StoreKey(.device, "mark")
        try await fixture.store.write(Data(), for: mark, replacing: 0)
        var told: [StoreKey] = []
        for await change in changes {
            if change.key == mark { break }
            told.append(change.key)
        }
        #expect(told == [current, .account(fixture.account), current])
    }

    @Test("The account before comes after a sign-out, by one reading of all sessions")
    func signOut() async throws {
        try await twoSignIns()
        try await fixture.sessions().end(bob)
        #expect(try await look() == (fixture.account, 1))
        #expect(try await look() == (fixture.account, 0))
    }

    @Test("A look after a sign-out does not share a reading from before it")
    func readingBefore() async throws {
        try await twoSignIns()
        let generation = try #require(try await fixture.store.record(for: current)?.generation)
        try await fixture.store.write(Data("{".utf8), for: current, replacing: generation)
        let (gate, isFirst) = (Gate(), Locked(true))
        let sessions = fixture.sessions(
            store: HookedStore(
                base: fixture.store,
                afterRead: { if $0 == .accounts, isFirst.exchange(false) { await gate.pass() } }))
        let early = Task { try await sessions.lookUp().account }
        while await gate.arrivals == 0 { await Task.yield() }
        try await fixture.sessions().end(bob)
        // A look that shared the earlier reading would wait for it.
        #expect(try await sessions.lookUp().account == fixture.account)
        await gate.open()
        #expect(try await early.value == bob)
    }

    /// Accounts of another realm, so many that they are not all read at each look.
    private func crowd() async throws {
        let other = ProviderSessions(
            realm: "other", origin: .anyone(at: "https://id.example.com"), store: fixture.store,
            time: fixture.clock.dates
        ) { _ in throw CancellationError() }
        for number in 0..<SessionRecords.smallestListing {
            try await other.begin(fixture.credential(), for: AccountID(account: "\(number)", realm: "other"))
        }
    }

    @Test("A realm without a session is found out by one reading of all sessions, and seen when that changes")
    func absence() async throws {
        try await crowd()
        #expect(try await look() == (nil, 1))
        #expect(try await look() == (nil, 0))
        guard case .absent(.neverSignedIn) = try await fixture.sessions().lookUp() else { throw TestError() }
        try await fixture.sessions().begin(fixture.credential(), for: bob)
        #expect(try await look() == (bob, 0))
        try await fixture.sessions().end(bob)
        #expect(try await look() == (nil, 1))
        #expect(try await look() == (nil, 0))
        guard case .absent(.signedOut) = try await fixture.sessions().lookUp() else { throw TestError() }
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        #expect(try await look() == (fixture.account, 0))
    }

    @Test("A sign-in that ends between its session and the current account is found, though a look came first")
    func absenceInBetween() async throws {
        try await crowd()
        #expect(try await look() == (nil, 1))
        let dying = HookedStore(
            base: fixture.store,
            beforeWrite: { [fixture] key in
                guard key.collection == .accounts else { return }
                // The look finds the current account of a sign-in that has no session yet, and writes the absence anew.
                let found = try await fixture.sessions().lookUp().account
                #expect(found == nil)
                // The process ends before it writes the current account again.
                fixture.store.fail(.write, in: .currentAccounts, with: TokenStoreError.full(path: "disk"), times: 1)
            })
        try await fixture.sessions(store: dying).begin(fixture.credential(), for: bob)
        #expect(try await look() == (bob, 1))
    }

    @Test("Few accounts are read at each look")
    func fewAccounts() async throws {
        #expect(try await look() == (nil, 1))
        #expect(try await look() == (nil, 1))
    }

    @Test(
        "A record that is missing, damaged or wrong is written again",
        arguments: ["", "{", "wrong", "elsewhere"])
    func repair(content: String) async throws {
        try await twoSignIns()
        let generation = try #require(try await fixture.store.record(for: current)?.generation)
        let wrong: Data? =
            switch content {
            case "": nil
            case "wrong": try CurrentAccount(fixture.account, signedInAt: fixture.credential().signedInAt).encoded()
            case "elsewhere":
                try CurrentAccount(AccountID(account: "a", realm: "b"), signedInAt: fixture.clock.now).encoded()
            default: Data(content.utf8)
            }
        try await fixture.store.write(wrong, for: current, replacing: generation)
        #expect(try await look() == (bob, 1))
        #expect(try await look() == (bob, 0))
    }

    @Test("A damaged file of the current account is set aside")
    func damagedFile() async throws {
        let files = try FileStoreFixture()
        let store = try files.open()
        try await fixture.sessions(store: store).begin(fixture.credential(), for: bob)
        try Data("damaged".utf8).write(to: files.file(of: current))
        #expect(try await newest(store) == bob)
        #expect(try await store.record(for: current)?.content != nil)
    }

    @Test("Nobody takes the place of an account whose session cannot be read, until that account signs out")
    func damagedSession() async throws {
        let files = try FileStoreFixture()
        let store = try files.open()
        let sessions = fixture.sessions(store: store)
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(1))
        try await sessions.begin(fixture.credential(), for: bob)
        let record = try await store.record(for: current)
        try Data("damaged".utf8).write(to: files.file(of: .account(bob)))
        for _ in 0..<2 {
            #expect(await FileStoreFixture.failureCode { try await newest(store) } == "store_corrupt")
            #expect(throws: TokenStoreError.self) { try sessions.immediateCredential() }
        }
        #expect(try await store.record(for: current) == record)
        try await sessions.end(bob)
        #expect(try await newest(store) == fixture.account)
        #expect(try sessions.immediateCredential()??.account == fixture.account)
    }

    @Test("A sign-in that was cut short between the current account and the session hides nobody")
    func cutShort() async throws {
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(1))
        fixture.store.fail(.write, in: .accounts, with: TokenStoreError.full(path: "disk"), times: 1)
        await #expect(throws: TokenStoreError.full(path: "disk")) {
            try await fixture.sessions().begin(fixture.credential(), for: bob)
        }
        #expect(try await newest() == fixture.account)
    }

    @Test("A look between the current account and the session does not leave the account before as the newest one")
    func lookInBetween() async throws {
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(1))
        let looking = HookedStore(
            base: fixture.store,
            beforeWrite: { [fixture] key in
                guard key.collection == .accounts else { return }
                let found = try await fixture.sessions().lookUp().account
                #expect(found == fixture.account)
            })
        try await fixture.sessions(store: looking).begin(fixture.credential(), for: bob)
        #expect(try await look() == (bob, 0))
    }

    @Test("A sign-in by a clock that was set back is found when the later one has signed out")
    func clockSetBack() async throws {
        let later = fixture.credential()
        try await fixture.sessions().begin(later, for: fixture.account)
        var earlier = later
        earlier.signedInAt = later.signedInAt - 60
        try await fixture.sessions().begin(earlier, for: bob)
        #expect(try await newest() == fixture.account)
        try await fixture.sessions().end(fixture.account)
        #expect(try await newest() == bob)
    }

    @Test("Sign-ins of many tasks at once leave the one that was last by the clock")
    func manyAtOnce() async throws {
        let credential = fixture.credential()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { [fixture] in
                    var own = credential
                    own.signedInAt += TimeInterval(number)
                    try await fixture.sessions().begin(own, for: AccountID(account: "\(number)", realm: "work"))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await look() == (AccountID(account: "49", realm: "work"), 0))
    }

    @Test(
        "Without a record, sessions that cannot be listed are no absence",
        arguments: [true, false])
    func unreadable(hasSession: Bool) async throws {
        if hasSession { try await twoSignIns() }
        let generation = try await fixture.store.record(for: current)?.generation
        try await fixture.store.write(nil, for: current, replacing: generation ?? 0)
        let error = TokenStoreError.unreadable(path: "accounts", detail: "disk")
        fixture.store.fail(.list, with: error)
        await #expect(throws: error) { try await fixture.sessions().lookUp() }
    }

    @Test("The deadline of a look is not that of reading all sessions, and what they say is stored")
    func slowReading() async throws {
        try await twoSignIns()
        try await fixture.sessions().end(bob)
        let slow = HookedStore(
            base: fixture.store,
            beforeWrite: { [fixture] key in
                guard key.collection == .currentAccounts else { return }
                while fixture.clock.sleeperCount == 0 { await Task.yield() }
                fixture.clock.advance(by: .seconds(3))
                while fixture.clock.sleeperCount > 0 { await Task.yield() }
            })
        let provider = StoredAccountProvider(
            realm: "work", backend: "https://id.example.com", store: slow, time: fixture.clock.dates)
        let chain = try IdentityProviderChain(
            [.init("work", provider)], time: fixture.clock.timeSource)
        #expect(try await chain.silentAccount(scopes: [], deviceToken: "d").account == fixture.account)
        #expect(try await look() == (fixture.account, 0))
    }

    @Test("A store that cannot be written finds the account all the same")
    func readOnly() async throws {
        try await twoSignIns()
        try await fixture.sessions().end(bob)
        fixture.store.fail(.write, with: TokenStoreError.notWritable(path: "disk", detail: "read-only"))
        for _ in 0..<2 { #expect(try await newest() == fixture.account) }
    }
}
