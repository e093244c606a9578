import Foundation
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityKit

/// An app's own store around another one.
@Suite struct TokenStoreWrapperTests {
    /// States the one requirement that it changes.
    private struct CountingStore: TokenStoreWrapper {
        let wrapped: any TokenStore
        let writes = Locked(0)

        func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord {
            writes.withLock { $0 += 1 }
            return try await wrapped.write(content, for: key, replacing: generation)
        }
    }

    /// Has every ability that a store can have.
    private struct AbleStore: TokenStoreWrapper, RemovingTokenStore, MeasuredTokenStore, AuditedTokenStore {
        let wrapped: any TokenStore = MemoryTokenStore()
        let forgotten = Locked<[StoreKey]>([])
        let figures: [ClientHealth.Figure: Int] = [
            .connectionsInUse: 1, .waitingCalls: 2, .takeovers: 3, .lostWatches: 4,
        ]

        func removeRecords(erasedBefore date: Date) async throws -> Int { 5 }
        func forget(_ key: StoreKey) async throws { forgotten.withLock { $0.append(key) } }
        func auditTrail(of account: AccountID, before number: Int64?, limit: Int) async throws -> [AuditEntry] {
            [AuditEntry(number: 6, date: .distantPast, account: account, action: .signIn, generation: 1, place: "p")]
        }
    }

    private let account = AccountID(account: "ada", realm: "work")
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var key: KeyFile { KeyFile(path: folder.file("key").path) }

    @Test("It conforms where it states one requirement alone", arguments: TokenStoreConformance.checks)
    func conforms(check: TokenStoreConformance.Check) async throws {
        let configuration = StoreConfiguration.file(
            folder: folder.file("store").path, key: .keyFile())
        try await check.run { CountingStore(wrapped: try configuration.open()) }
    }

    @Test("What the stores below can do is found through it, whatever their order", arguments: [true, false])
    func abilities(isOutside: Bool) async throws {
        let able = AbleStore()
        let store: any TokenStore =
            isOutside
            ? CountingStore(wrapped: SealedTokenStore(able, storeID: "s", key: key))
            : SealedTokenStore(CountingStore(wrapped: able), storeID: "s", key: key)
        let client = IdentityClient(
            provider: AnonymousProvider(name: "guest", token: "t", store: store),
            environment: IdentityEnvironment(store: store))
        let own: [ClientHealth.Figure: Int] = [.leasesInLastMinute: 0, .unstoredResults: 0]
        #expect(await client.health.figures == able.figures.merging(own) { first, _ in first })
        #expect(try await store.purge(unusedSince: .distantPast).removed == 5)
        try await store.eraseAccount(account)
        #expect(able.forgotten.withLock { $0.contains(.account(account)) })
        let audited = try #require(store.layer((any AuditedTokenStore).self))
        #expect(try await audited.auditTrail(of: account, before: nil, limit: 1).map(\.number) == [6])
    }

    @Test("A session is erased through it without the store's key")
    func withoutKey() async throws {
        let base = MemoryTokenStore()
        let counted = CountingStore(wrapped: SealedTokenStore(base, storeID: "s", key: key))
        _ = try await counted.write(Data("{}".utf8), for: .account(account), replacing: 0)
        #expect(counted.writes.withLock { $0 } == 1)
        let withoutKey = SealedTokenStore(base, storeID: "s", key: VariableKey(variable: "KEY") { _ in nil })
        await #expect(throws: TokenStoreError.self) { try await withoutKey.record(for: .account(account)) }
        try await CountingStore(wrapped: withoutKey).eraseAccount(account)
        #expect(try await base.record(for: .account(account))?.content == nil)
    }
}
