import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// How often the record of a session is read on the way to a token.
@Suite struct RecordReadTests {
    private let fixture = SessionsFixture()

    private struct Provider: SessionBackedProvider {
        let sessions: ProviderSessions
        func signIn(in context: CallerContext) async throws -> AccountID? { nil }
        func requestAuthorization(
            for accountID: AccountID, scopes: Set<String>, deviceToken: String
        ) async throws -> Data? { nil }
        func signOut(_ accountID: AccountID) async throws {}
    }

    /// A client of a process that has just started.
    private func client() throws -> IdentityClient {
        let chain = try IdentityProviderChain(
            [.init("work", Provider(sessions: fixture.sessions()))],
            store: fixture.store, time: fixture.clock.dates)
        return IdentityClient(
            provider: chain,
            environment: IdentityEnvironment(store: fixture.store, time: fixture.clock.dates, variables: [:]))
    }

    @Test("A refresh reads the record twice, before and under the lease, also in a process that has just started")
    func twice() async throws {
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        _ = try await client().account()
        fixture.clock.advance(by: .seconds(3600))
        let client = try client()
        let before = fixture.store.count(of: .read, in: .accounts)
        #expect(try await client.accessToken() == "token-1")
        #expect(fixture.store.count(of: .read, in: .accounts) - before == 2)
    }

    @Test("A token that is still valid costs one read, and none when it is asked for again")
    func once() async throws {
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        let client = try client()
        _ = try await client.account()
        let before = fixture.store.count(of: .read)
        for _ in 0..<3 { #expect(try await client.accessToken() == "token") }
        #expect(fixture.store.count(of: .read) - before == 1)
    }

    @Test("The token of a named account costs its own record alone, and makes nobody active")
    func named() async throws {
        let accounts = (0..<20).map { AccountID(account: "\($0)", realm: "work") }
        for account in accounts {
            try await fixture.sessions().begin(fixture.credential("token of \(account.account)"), for: account)
        }
        let client = try client()
        let before = fixture.store.count(of: .read)
        let records = fixture.store.count(of: .read, in: .currentAccounts)
        for account in accounts.prefix(3) {
            for _ in 0..<2 {
                #expect(try await client.accessToken(as: account) == "token of \(account.account)")
            }
        }
        #expect(fixture.store.count(of: .read) - before == 3)
        #expect(fixture.store.count(of: .list) == 0 && fixture.store.count(of: .read, in: .currentAccounts) == records)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await client.accessToken(as: accounts[7]) == "token-1")
        let stranger = AccountID(account: "0", realm: "elsewhere")
        await #expect(throws: ChainUsageError.self) { try await client.accessToken(as: stranger) }
        let absent = AccountID(account: "nobody", realm: "work")
        await #expect(throws: SessionError.notSignedIn(absent)) { try await client.accessToken(as: absent) }
    }

    @Test("A token in memory is returned without leaving the caller's actor")
    func stays() async throws {
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        let client = try client()
        _ = try await client.account()
        #expect(try await client.accessToken() == "token")
        #expect(try await Caller().jobs(of: { _ = try await client.accessToken() }) == 0)
        // The executor counts: reading the record runs elsewhere, and comes back.
        #expect(try await Caller().jobs(of: { _ = try await client.account() }) == 1)
    }

    /// An actor that counts what is scheduled on it.
    private actor Caller {
        private final class Executor: SerialExecutor {
            let jobs = Locked(0)
            private let queue = DispatchQueue(label: "caller")

            func enqueue(_ job: consuming ExecutorJob) {
                let job = UnownedJob(job)
                jobs.withLock { $0 += 1 }
                queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
            }
        }

        private let executor = Executor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        /// How often `work`, which this actor runs, comes back to it.
        func jobs(of work: nonisolated(nonsending) @Sendable () async throws -> Void) async throws -> Int {
            let before = executor.jobs.withLock { $0 }
            try await work()
            return executor.jobs.withLock { $0 } - before
        }
    }

    @Test("What is made once is the same for all who make it at one time")
    func madeOnce() async throws {
        let key = StoreKey(.device, "once")
        let values = try await withThrowingTaskGroup(of: Data.self) { group in
            for index in 0..<20 {
                group.addTask { [store = fixture.store] in
                    try await store.valueMadeOnce(for: key) { Data("\(index)".utf8) }
                }
            }
            return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
        }
        #expect(values.count == 1)
        #expect(try await fixture.store.record(for: key)?.content == values.first)
        #expect(try await fixture.store.record(for: key)?.generation == 1)
    }
}
