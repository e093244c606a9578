import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// Many processes, one token, one refresh.
@Suite(.serialized, .endsInTime) struct ExactlyOnceTests {
    @Test(
        "Processes and tasks that share an expired token spend it once, round after round",
        .guards("refresh token rotation"), arguments: [0, 30], StorePlace.allCases)
    func onceForAll(graceSeconds: Int, place: StorePlace) async throws {
        let fixture = try await ProcessFixture.signedIn(grace: .seconds(graceSeconds), in: place)
        let count = Extent.rounds(5, full: 64)
        for round in 1...Extent.rounds(2, full: 20) {
            #expect(try await fixture.run("sign-in").lines == ["signed in"])
            let processes = try (0..<count).map { _ in try fixture.start("token", shift: 36_000, tasks: 8) }
            var tokens: [String] = []
            for process in processes {
                let outcome = await process.end()
                #expect(outcome.failures == [])
                tokens += outcome.tokens
            }
            #expect(tokens.count == count * 8)
            #expect(Set(tokens).count == 1)
            #expect(fixture.server.counters.refreshes == round)
            #expect(fixture.server.counters.replays == 0)
        }
        await fixture.server.stop()
    }

    @Test("Sixty tasks over two openers of one store in one process spend it once", arguments: StorePlace.allCases)
    func oneProcess(place: StorePlace) async throws {
        let fixture = try await ProcessFixture.signedIn(in: place)
        let requests = Locked(0)
        let objects = try (0..<2).map { _ in
            ProviderSessions(
                realm: "work", origin: .anyone(at: fixture.server.url.absoluteString), store: try fixture.openStore(),
                time: TimeSource(now: { Date() + 36_000 }, sleep: { try await Task.sleep(for: $0) })
            ) { credential in
                requests.withLock { $0 += 1 }
                var refreshed = credential
                refreshed.accessToken = "refreshed"
                (refreshed.issuedAt, refreshed.expiresAt) = (Date() + 36_000, Date() + 39_600)
                return .refreshed(refreshed)
            }
        }
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<60 {
                group.addTask { try await objects[index % 2].accessToken(for: fixture.account, scopes: []) }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["refreshed"])
        #expect(requests.withLock { $0 } == 1)
        await fixture.server.stop()
    }

    @Test("A sign-out in another process is seen by the next call, and told to listeners")
    func signOutElsewhere() async throws {
        let fixture = try await ProcessFixture.signedIn()
        let sessions = try fixture.sessions()
        #expect(await fixture.failureCode(sessions) == nil)
        var changes = try fixture.openStore().changes(in: .accounts).makeAsyncIterator()
        #expect(try await fixture.run("sign-out").lines == ["signed out"])
        #expect(await fixture.failureCode(sessions) == "not_signed_in")
        #expect(await changes.next()?.hasContent == false)
        await fixture.server.stop()
    }

    @Test("Readers never see half a record, however fast others write", arguments: StorePlace.allCases)
    func readersUnderWrite(place: StorePlace) async throws {
        let fixture = try await ProcessFixture(in: place)
        let store = try fixture.openStore()
        let writers = try (0..<Extent.rounds(2, full: 4)).map { _ in
            try fixture.start("write", rounds: Extent.rounds(40, full: 4000))
        }
        let finished = Locked(false)
        let readers = (0..<Extent.rounds(4, full: 16)).map { _ in
            Task {
                var generation: UInt64 = 0
                while !finished.withLock({ $0 }) {
                    await Task.yield()
                    guard let record = try await store.record(for: StoreKey(.device, "scratch")) else { continue }
                    #expect(Set(record.content ?? Data()).count == 1)
                    #expect(record.content?.count == 2048)
                    #expect(record.generation >= generation)
                    generation = record.generation
                }
            }
        }
        for writer in writers { #expect(await writer.end().lines == ["written"]) }
        finished.withLock { $0 = true }
        for reader in readers { try await reader.value }
        await fixture.server.stop()
    }

    @Test("Whatever the umask, folders are 0700 and files 0600", arguments: ["000", "022", "077", "277", "777"])
    func umask(mask: String) async throws {
        let fixture = try await ProcessFixture()
        #expect(try await fixture.run("sign-in", umask: mask).lines == ["signed in"])
        #expect(try await fixture.run("token", shift: 36_000, umask: mask).tokens.count == 1)
        let manager = FileManager.default
        let names = try manager.subpathsOfDirectory(atPath: fixture.temporary.url.path)
        #expect(names.count > 8)
        for name in names {
            let attributes = try manager.attributesOfItem(atPath: fixture.temporary.file(name).path)
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            // A key file of mode 0600 needs no private folder around it.
            #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
        }
        await fixture.server.stop()
    }
}
