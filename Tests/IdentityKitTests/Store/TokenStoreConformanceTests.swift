import Foundation
import IdentityKit
import IdentityTesting
import Testing

/// What every store promises, asked of each implementation.
@Suite struct TokenStoreConformanceTests {
    private let fixture: FileStoreFixture

    init() throws {
        fixture = try FileStoreFixture()
    }

    @Test("The memory store conforms", arguments: TokenStoreConformance.checks)
    func memory(check: TokenStoreConformance.Check) async throws {
        let store = MemoryTokenStore()
        try await check.run { store }
    }

    @Test("The file store conforms", arguments: TokenStoreConformance.checks)
    func file(check: TokenStoreConformance.Check) async throws {
        try await check.run { try fixture.open() }
    }

    @Test("The file store with leases that expire conforms", arguments: TokenStoreConformance.checks)
    func fileWithDeadlines(check: TokenStoreConformance.Check) async throws {
        try await check.run { try fixture.open(leasing: .forAtMost(.seconds(60))) }
    }

    @Test("A sealed store conforms", arguments: TokenStoreConformance.checks)
    func sealed(check: TokenStoreConformance.Check) async throws {
        let configuration = StoreConfiguration.file(folder: fixture.root.path, key: .keyFile())
        try await check.run { try configuration.open() }
    }

    @Test("The faulty store conforms while nothing is made to fail", arguments: TokenStoreConformance.checks)
    func faulty(check: TokenStoreConformance.Check) async throws {
        let store = FaultyTokenStore()
        try await check.run { store }
    }

    @Test("A store that breaks a promise does not pass")
    func theChecksCanFail() async throws {
        var broken = 0
        for check in TokenStoreConformance.checks {
            do { try await check.run { ForgetfulStore() } } catch is ConformanceError { broken += 1 }
        }
        #expect(broken >= 10)
    }
}

/// Takes everything and keeps nothing.
private struct ForgetfulStore: TokenStore {
    func record(for key: StoreKey) async throws -> StoreRecord? { nil }
    func records(in collection: StoreKey.Collection) async throws -> StoreListing { StoreListing() }

    func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord {
        StoreRecord(key: key, generation: 1, content: content)
    }

    func lease(for key: StoreKey) async throws -> (any StoreLease)? { nil }
    func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange> { AsyncStream { $0.finish() } }
}
