import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// A process dies in the middle of a refresh, and the next one has to cope.
@Suite(.serialized, .endsInTime) struct CrashTests {
    /// A moment of a refresh, and what it leaves.
    struct Point: Sendable, CustomStringConvertible {
        let description: String
        /// Whether the server has rotated the token and the store does not have the new one.
        var losesAnswer = false
        /// Whether the new token is in the store.
        var isStored = false
        var place = StorePlace.files

        static let all = inFiles + inDatabase

        #if PostgreSQL
        private static let inDatabase = [
            Point(description: "lease.held", place: .database),
            Point(description: "refreshes.committed", place: .database),
            Point(description: "intent.noted", place: .database),
            Point(description: "exchange.answered", losesAnswer: true, place: .database),
            Point(description: "accounts.committed", isStored: true, place: .database),
            Point(description: "result.stored", isStored: true, place: .database),
        ]
        #else
        private static let inDatabase: [Point] = []
        #endif

        private static let inFiles = [
            Point(description: "lease.held"), Point(description: "refreshes.written"),
            Point(description: "refreshes.renamed"), Point(description: "refreshes.noticed"),
            Point(description: "intent.noted"), Point(description: "exchange.answered", losesAnswer: true),
            Point(description: "accounts.written", losesAnswer: true),
            Point(description: "accounts.renamed", isStored: true),
            Point(description: "accounts.noticed", isStored: true),
            // The key set of the server is still to be fetched.
            Point(description: "result.stored", isStored: true),
        ]
    }

    @Test("Killed anywhere, without grace: nothing is lost but what the server alone knew", arguments: Point.all)
    func killed(point: Point) async throws {
        let fixture = try await ProcessFixture.signedIn(in: point.place)
        let victim = try await fixture.run("token", shift: 36_000, fault: "\(point)=kill")
        #expect(victim.status == nil)
        #expect(victim.tokens == [])
        try fixture.outlastRequests()
        let next = try await fixture.run("token", shift: 36_000)
        if point.losesAnswer {
            #expect(next.failures == ["session_ended"])
            #expect(fixture.server.counters.replays == 1)
            #expect(try await fixture.run("token", shift: 36_000).failures == ["session_ended"])
            #expect(fixture.server.counters.replays == 1)
            #expect(try await fixture.run("sign-in", shift: 36_000).lines == ["signed in"])
            #expect(try await fixture.run("token", shift: 36_000).tokens.count == 1)
        } else {
            #expect(next.tokens.count == 1, "\(next.failures)")
            #expect(fixture.server.counters.replays == 0)
            #expect(fixture.server.counters.refreshes == 1)
        }
        // Whoever came next has tidied up.
        if let folder = fixture.configuration.files?.folder {
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/drafts") == [])
        }
        await fixture.server.stop()
    }

    @Test("Killed anywhere, with grace: nothing is lost at all", arguments: Point.all)
    func killedWithGrace(point: Point) async throws {
        let fixture = try await ProcessFixture.signedIn(grace: .seconds(120), in: point.place)
        _ = try await fixture.run("token", shift: 36_000, fault: "\(point)=kill")
        try fixture.outlastRequests()
        let next = try await fixture.run("token", shift: 36_000)
        #expect(next.tokens.count == 1, "\(next.failures)")
        #expect(fixture.server.counters.replays == 0)
        #expect(fixture.server.counters.familiesRevoked == 0)
        await fixture.server.stop()
    }

    @Test(
        "Killed while the old token still works: it stays in use and nothing is sent twice",
        arguments: StorePlace.allCases)
    func killedEarly(place: StorePlace) async throws {
        let fixture = try await ProcessFixture.signedIn(in: place)
        let before = try await fixture.run("token").tokens
        _ = try await fixture.run("token", shift: 33_500, fault: "exchange.answered=kill")
        #expect(fixture.server.counters.refreshes == 1)
        #expect(try await fixture.run("token", shift: 33_500).tokens == before)
        #expect(try await fixture.run("token", shift: 35_000).tokens == before)
        #expect(fixture.server.counters.replays == 0)
        await fixture.server.stop()
    }

    @Test("A sign-out killed after it replaced the record and before it said so is seen by those who had read before")
    func killedBeforeNotice() async throws {
        let fixture = try await ProcessFixture.signedIn()
        let sessions = try fixture.sessions()
        #expect(await fixture.failureCode(sessions) == nil)
        #expect(try await fixture.run("sign-out", fault: "accounts.renamed=kill").status == nil)
        #expect(await fixture.failureCode(sessions) == "not_signed_in")
        await fixture.server.stop()
    }

    @Test("Killed at any time: a session is lost only where the server had rotated", arguments: StorePlace.allCases)
    func killedAtRandom(place: StorePlace) async throws {
        let fixture = try await ProcessFixture.signedIn(in: place)
        let duration = try await fixture.durationOfRefresh()
        for _ in 0..<Extent.rounds(4, full: 1000) {
            let before = fixture.server.counters
            try await fixture.interruptRefresh(by: SIGKILL, within: duration)
            try fixture.outlastRequests()
            let next = try await fixture.run("token", shift: 36_000)
            #expect(fixture.server.counters.replays <= before.replays + 1)
            if next.tokens.isEmpty {
                #expect(next.failures == ["session_ended"])
                // Counted only now: the server may answer a request after its sender has died.
                #expect(fixture.server.counters.refreshes > before.refreshes)
            }
            #expect(try await fixture.run("sign-in").lines == ["signed in"])
        }
        await fixture.server.stop()
    }

    @Test("Asked to end at any time, by SIGTERM or SIGINT, a process loses nothing", arguments: StorePlace.allCases)
    func terminated(place: StorePlace) async throws {
        let fixture = try await ProcessFixture.signedIn(in: place)
        let duration = try await fixture.durationOfRefresh()
        for round in 1...Extent.rounds(5, full: 200) {
            try await fixture.interruptRefresh(by: round.isMultiple(of: 2) ? SIGTERM : SIGINT, within: duration)
            #expect(try await fixture.run("token", shift: 36_000).tokens.count == 1)
            #expect(fixture.server.counters.replays == 0)
            #expect(try await fixture.run("sign-in").lines == ["signed in"])
        }
        await fixture.server.stop()
    }
}

extension ProcessFixture {
    /// Lets the time of a request pass where a store does not prove that its sender has died: by the clock of the store.
    fileprivate func outlastRequests() throws {
        #if PostgreSQL
        guard !configuration.isBuiltIn else { return }
        let address = configuration.settings["url"]?.stringValue?.split(separator: " ") ?? []
        let database = try #require(address.first { $0.hasPrefix("dbname=") }).dropFirst(7)
        try PostgresServer.shared().sql(
            "UPDATE identity_records SET written_at = written_at - interval '40 s'", in: String(database))
        #endif
    }
}
