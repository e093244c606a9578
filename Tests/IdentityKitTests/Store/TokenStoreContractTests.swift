import Foundation
import IdentityKit
import TestSupport
import Testing

/// What every store promises, asked of each implementation.
@Suite struct TokenStoreContractTests {
    enum Kind: String, CaseIterable, Sendable {
        case memory, file

        func open(in folder: TemporaryFolder) throws -> any TokenStore {
            switch self {
            case .memory: MemoryTokenStore()
            case .file: try FileTokenStore(folder: folder.file("store"))
            }
        }
    }

    private let folder: TemporaryFolder
    private let key = StoreKey.account(AccountID(account: "ada", realm: "work"))

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("A record that was never written is absent", arguments: Kind.allCases)
    func absent(kind: Kind) async throws {
        let store = try kind.open(in: folder)
        #expect(try await store.record(for: key) == nil)
        #expect(try await store.records(in: .accounts) == StoreListing())
    }

    @Test("Generations rise by one and survive an erasure", arguments: Kind.allCases)
    func generations(kind: Kind) async throws {
        let store = try kind.open(in: folder)
        #expect(try await store.write(Data("1".utf8), for: key, replacing: 0).generation == 1)
        #expect(try await store.write(nil, for: key, replacing: 1).generation == 2)
        #expect(try await store.record(for: key) == StoreRecord(key: key, generation: 2, content: nil))
        #expect(try await store.write(Data("3".utf8), for: key, replacing: 2).generation == 3)
        #expect(try await store.record(for: key)?.content == Data("3".utf8))
    }

    @Test("Whoever decided on an old generation loses and changes nothing", arguments: Kind.allCases)
    func compareAndSwap(kind: Kind) async throws {
        let store = try kind.open(in: folder)
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        for stale: UInt64 in [0, 2, 99] {
            await #expect(throws: TokenStoreError.conflict(key, current: 1)) {
                try await store.write(Data("b".utf8), for: key, replacing: stale)
            }
        }
        #expect(try await store.record(for: key)?.content == Data("a".utf8))
    }

    @Test("Of many writers on one generation exactly one wins", arguments: Kind.allCases)
    func oneWinner(kind: Kind) async throws {
        let store = try kind.open(in: folder)
        let winners = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<20 {
                group.addTask { [key] in
                    (try? await store.write(Data("\(index)".utf8), for: key, replacing: 0)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        #expect(try await store.record(for: key)?.generation == 1)
    }

    @Test("Collections and names do not mix", arguments: Kind.allCases)
    func separation(kind: Kind) async throws {
        let store = try kind.open(in: folder)
        let sameName = StoreKey(.pendingFlows, key.name)
        let other = StoreKey(.accounts, key.name + "x")
        for each in [key, sameName, other] { try await store.write(Data(each.name.utf8), for: each, replacing: 0) }
        try await store.write(nil, for: other, replacing: 1)
        let listing = try await store.records(in: .accounts)
        #expect(Set(listing.records.map(\.key)) == [key, other])
        #expect(listing.records.first { $0.key == other }?.content == nil)
        #expect(listing.failures.isEmpty)
    }

    @Test("A lease excludes others until it is released or dropped", arguments: Kind.allCases)
    func leases(kind: Kind) async throws {
        let store = try kind.open(in: folder)
        var lease = try await store.lease(for: key)
        #expect(lease != nil)
        #expect(try await store.lease(for: key) == nil)
        #expect(try await store.lease(for: StoreKey(.accounts, "other")) != nil)
        await lease?.release()
        lease = try await store.lease(for: key)
        #expect(lease != nil)
        lease = nil
        #expect(try await store.lease(for: key) != nil)
    }

    @Test("A lease does not keep anybody from writing", arguments: Kind.allCases)
    func leasesDoNotBlockWrites(kind: Kind) async throws {
        let store = try kind.open(in: folder)
        let lease = try await store.lease(for: key)
        try await store.write(nil, for: key, replacing: 0)
        await lease?.release()
    }

    @Test("Changes reach every listener in order", arguments: Kind.allCases)
    func changes(kind: Kind) async throws {
        let store = try kind.open(in: folder)
        let streams = [store.changes(), store.changes()]
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        try await store.write(nil, for: key, replacing: 1)
        for stream in streams {
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == StoreChange(key: key, generation: 1, hasContent: true))
            #expect(await iterator.next() == StoreChange(key: key, generation: 2, hasContent: false))
        }
    }
}
