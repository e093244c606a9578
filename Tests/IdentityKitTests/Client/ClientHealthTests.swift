import Foundation
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityKit

/// How a client is doing, and how it ends.
@Suite(.endsInTime) struct ClientHealthTests {
    private let fixture = SessionsFixture()

    private func client(
        _ observers: [any IdentityObserver] = [], store: (any TokenStore)? = nil
    ) -> IdentityClient {
        IdentityClient(
            provider: ScriptedProvider("work", silent: .account("ada")),
            environment: IdentityEnvironment(
                store: store ?? fixture.store, refreshMonitor: fixture.monitor, time: fixture.clock.timeSource,
                observers: observers))
    }

    @Test("A client is ready while its store can be read")
    func ready() async throws {
        let client = client()
        #expect(await client.health.isReady)
        fixture.store.fail(.read, in: .device, with: TokenStoreError.locked(detail: "d"))
        #expect(await client.health.storeFailure?.failureCode == "store_locked")
        fixture.store.heal()
        let health = await client.health
        #expect(health.isReady && health.oldestUnstoredResult == nil)
        #expect(health.figures == [.leasesInLastMinute: 0, .unstoredResults: 0])
    }

    @Test("A client is not ready while the key of its store is missing or another one, and makes no key to find out")
    func key() async throws {
        let folder = try TemporaryFolder()
        func sealed(_ name: String) -> SealedTokenStore {
            SealedTokenStore(fixture.store, storeID: "fleet", key: KeyFile(path: folder.file(name).path))
        }
        #expect(await client(store: sealed("right")).health.isReady)
        #expect(!FileManager.default.fileExists(atPath: folder.file("right").path))
        try await sealed("right").write(Data("a".utf8), for: .account(fixture.account), replacing: 0)
        try await SealedTokenStore(MemoryTokenStore(), storeID: "other", key: KeyFile(path: folder.file("wrong").path))
            .write(Data("a".utf8), for: .account(fixture.account), replacing: 0)
        for name in ["missing", "wrong"] {
            let health = await client(store: sealed(name)).health
            #expect(health.storeFailure?.failureCode == "store_key_unavailable" && !health.isReady)
        }
        #expect(await client(store: sealed("right")).health.isReady)
    }

    @Test("The leases of a minute are counted")
    func leases() async throws {
        let client = client()
        let sessions = try await fixture.expired()
        #expect(await client.health.figures[.leasesInLastMinute] == 0)
        #expect(try await fixture.token(sessions) == "token-1")
        fixture.clock.advance(by: .seconds(59))
        #expect(await client.health.figures[.leasesInLastMinute] == 1)
        fixture.clock.advance(by: .seconds(2))
        #expect(await client.health.figures[.leasesInLastMinute] == 0)
    }

    @Test("The oldest result that is not stored is told with its age")
    func unstored() async throws {
        let client = client()
        let sessions = fixture.sessions(time: fixture.clock.timeSource)
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        fixture.store.fail(.write, in: .accounts, with: TokenStoreError.full(path: "p"))
        #expect(try await fixture.whileTimePasses { try await fixture.token(sessions) } == "token-1")
        fixture.clock.advance(by: .seconds(30))
        let health = await client.health
        #expect(health.figures[.unstoredResults] == 1 && health.isReady)
        #expect(health.oldestUnstoredResult ?? .zero >= .seconds(30))
    }

    @Test("A client that runs tells its health, and ends when a refresh under way is stored")
    func running() async throws {
        let (told, continuation) = AsyncStream.makeStream(of: String.self)
        let client = client([Telling { continuation.yield($0.name) }])
        let (sessions, gate, isOpen) = (try await fixture.expired(), Gate(), Locked(false))
        fixture.backend.script(.after { await gate.pass() })
        let caller = Task { try await fixture.token(sessions) }
        while await gate.arrivals == 0 { await Task.yield() }
        let running = Task { await client.run() }
        for await name in told where name == "client.health" { break }
        running.cancel()
        Task {
            while !fixture.monitor.isClosed { await Task.yield() }
            isOpen.withLock { $0 = true }
            await gate.open()
        }
        await running.value
        #expect(isOpen.withLock { $0 })
        #expect(try await fixture.store.record(for: .account(fixture.account))?.generation == 2)
        #expect(try await caller.value == "token-1")
    }

    @Test("What happened is counted for a minute by any clock")
    func lastMinute() {
        var counter = LastMinute()
        let start = Date(timeIntervalSince1970: 1_000_000)
        for second in 0..<90 { counter.add(at: start + Double(second)) }
        #expect(counter.count(at: start + 89) == 60)
        #expect(counter.count(at: start + 100) == 49)
        #expect(counter.count(at: start + 1_000) == 0)
        counter.add(at: start)
        #expect(counter.count(at: start) == 1)
        #expect(counter.count(at: .distantFuture) == 0)
    }
}

private struct Telling: IdentityObserver {
    let tell: @Sendable (ObservedEvent) -> Void

    func observe(_ event: ObservedEvent) { tell(event) }
}
