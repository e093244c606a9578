import Foundation
import IdentityKit
import Testing

/// An issuer that asks to wait: for whom that counts.
@Suite struct IssuerPauseTests {
    private let fixture = SessionsFixture()
    private let bob = AccountID(account: "bob", realm: "work")
    private let answers = Locked<[RefreshResult]>([])
    private let sent = Locked<[String]>([])

    /// What one process has, at a backend that answers as the test says.
    private func process(at backend: String = "https://id.example.com") -> ProviderSessions {
        ProviderSessions(
            realm: "work", origin: .anyone(at: backend), store: fixture.store, time: fixture.clock.dates,
            replay: .always, monitor: fixture.monitor,
            exchange: { [sent, answers, fixture] credential in
                sent.withLock { $0.append(credential.refreshToken?.reveal() ?? "") }
                if let answer = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return answer }
                var refreshed = credential
                refreshed.accessToken = "new"
                (refreshed.issuedAt, refreshed.expiresAt) = (fixture.clock.now, fixture.clock.now + 3600)
                return .refreshed(refreshed)
            })
    }

    private func askToWait(isForAll: Bool = false) -> RefreshResult {
        .unspent(
            TestError(failureCode: "slow_down", failureClass: .transient), retryAfter: .seconds(90),
            isForAll: isForAll)
    }

    /// Two sessions whose tokens have just expired.
    private func expire() async throws {
        let process = process()
        for account in [fixture.account, bob] {
            let refreshToken = Secret(account.account)
            try await process.begin(fixture.credential(refreshToken: refreshToken), for: account)
        }
        fixture.clock.advance(by: .seconds(3600))
    }

    private func code(_ account: AccountID, _ process: ProviderSessions) async -> String? {
        await FileStoreFixture.failureCode { try await process.accessToken(for: account, scopes: []) }
    }

    @Test("A busy server is asked for no account before its time, by any process of the store")
    func busy() async throws {
        try await expire()
        answers.withLock { $0 = [askToWait(isForAll: true)] }
        #expect(await code(fixture.account, process()) == "slow_down")
        for process in [process(), process()] {
            #expect(await code(bob, process) == "refresh_postponed")
        }
        #expect(sent.withLock { $0 } == ["ada"])
        fixture.clock.advance(by: .seconds(90))
        #expect(await code(bob, process()) == nil)
        #expect(await code(fixture.account, process()) == nil)
        #expect(sent.withLock { $0 } == ["ada", "bob", "ada"])
    }

    @Test("A token that is still valid stays in use meanwhile, and a sign-in is stored")
    func usable() async throws {
        try await expire()
        answers.withLock { $0 = [askToWait(isForAll: true)] }
        #expect(await code(fixture.account, process()) == "slow_down")
        let process = process()
        try await process.begin(fixture.credential("anew", lifetime: 30), for: bob)
        #expect(try await process.accessToken(for: bob, scopes: []) == "anew")
        #expect(sent.withLock { $0 } == ["ada"])
    }

    @Test("Asked for one account, others are refreshed; asked for a second one meanwhile, nobody is")
    func second() async throws {
        try await expire()
        let carol = AccountID(account: "carol", realm: "work")
        answers.withLock { $0 = [askToWait(), askToWait()] }
        #expect(await code(fixture.account, process()) == "slow_down")
        try await process().begin(fixture.credential(refreshToken: "carol", lifetime: 0), for: carol)
        #expect(await code(bob, process()) == "slow_down")
        #expect(await code(carol, process()) == "refresh_postponed")
        #expect(sent.withLock { $0 } == ["ada", "bob"])
        fixture.clock.advance(by: .seconds(90))
        #expect(await code(carol, process()) == nil)
    }

    @Test("The same account asked again counts for itself alone, and so does one asked after the first one's time")
    func alone() async throws {
        try await expire()
        answers.withLock { $0 = [askToWait(), askToWait()] }
        for _ in 0..<2 {
            #expect(await code(fixture.account, process()) == "slow_down")
            fixture.clock.advance(by: .seconds(90))
        }
        answers.withLock { $0 = [askToWait()] }
        #expect(await code(bob, process()) == "slow_down")
        #expect(await code(fixture.account, process()) == nil)
    }

    @Test("Another issuer is not concerned")
    func elsewhere() async throws {
        try await expire()
        let (other, backend) = (AccountID(account: "dora", realm: "work"), "https://other.example.com")
        try await process(at: backend).begin(
            fixture.credential(refreshToken: "dora", lifetime: 0, backend: backend), for: other)
        answers.withLock { $0 = [askToWait(isForAll: true)] }
        #expect(await code(fixture.account, process()) == "slow_down")
        #expect(await code(other, process(at: backend)) == nil)
    }

    @Test("A record that cannot be read is put aside, and keeps nobody from a refresh")
    func damaged() async throws {
        try await expire()
        let key = StoreKey(StoreKey.Collection(rawValue: "pauses"), "https://id.example.com")
        try await fixture.store.write(Data("nonsense".utf8), for: key, replacing: 0)
        #expect(await code(fixture.account, process()) == nil)
        fixture.store.fail(.read, in: key.collection, with: TokenStoreError.corrupt(path: "p", detail: "d"), times: 2)
        #expect(await code(bob, process()) == nil)
    }
}
