import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// A process is stopped, runs out of disk, or is overtaken by a sign-out.
@Suite(.serialized, .endsInTime) struct InterruptionTests {
    @Test("A stopped holder keeps its lease: who has a valid token uses it, who has none is told, nobody steals")
    func stopped() async throws {
        let fixture = try await ProcessFixture.signedIn()
        let holder = try fixture.start("token", shift: 36_000, fault: "exchange.answered=stop")
        await holder.waitUntilStopped()
        #expect(await fixture.failureCode(try fixture.sessions(shift: 33_500)) == nil)
        #expect(await fixture.failureCode(try fixture.sessions(shift: 35_000)) == nil)
        #expect(await fixture.failureCode(try fixture.sessions(shift: 36_000)) == "refresh_in_progress")
        let waiter = try fixture.start("token", shift: 36_000)
        holder.signal(SIGCONT)
        #expect(await waiter.end().tokens == holder.end().tokens)
        #expect(fixture.server.counters.refreshes == 1)
        #expect(fixture.server.counters.replays == 0)
        await fixture.server.stop()
    }

    @Test("A process that was stopped for longer than a refresh may take reads the response that has arrived")
    func stoppedWhileWaiting() async throws {
        let fixture = try await ProcessFixture.signedIn()
        let (gate, leap) = (AnswerGate(), fixture.temporary.file("leap"))
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/oauth2/token")
        let process = try fixture.start("token", shift: 36_000, leap: leap)
        await gate.waitForAnswer()
        process.signal(SIGSTOP)
        await process.waitUntilStopped()
        gate.open()
        try Data().write(to: leap)
        process.signal(SIGCONT)
        #expect(await process.end().tokens.count == 1)
        #expect(fixture.server.counters.replays == 0)
        await fixture.server.stop()
    }

    #if PostgreSQL
    @Test(
        "A holder in a fleet that was stopped until its lease was another's sends nothing, and stores what it got",
        arguments: ["lease.held", "intent.noted", "exchange.answered"])
    func stoppedInFleet(point: String) async throws {
        let fixture = try await ProcessFixture.signedIn(in: .database)
        let holder = try fixture.start("token", shift: 36_000, fault: "\(point)=stop")
        await holder.waitUntilStopped()
        let store = try fixture.openStore()
        var taken: (any StoreLease)?
        while taken == nil { taken = try await store.lease(for: .account(fixture.account)) }
        await taken?.release()
        // Where the token may be sent, others use what is valid.
        let other = try await fixture.run("token", shift: point == "lease.held" ? 36_000 : 33_500)
        #expect(other.tokens.count == 1 && other.failures == [])
        holder.signal(SIGCONT)
        let outcome = await holder.end()
        #expect(outcome.tokens.count == (point == "intent.noted" ? 0 : 1))
        #expect(outcome.failures.count == (point == "intent.noted" ? 1 : 0))
        #expect(try await fixture.run("token", shift: 36_000).tokens.count == 1)
        #expect(fixture.server.counters.refreshes == 1)
        #expect(fixture.server.counters.replays == 0)
        await fixture.server.stop()
    }
    #endif

    @Test("A lock file that is removed between its opening and its locking excludes nobody, and is opened anew")
    func removedLock() async throws {
        let fixture = try await ProcessFixture.signedIn()
        let process = try fixture.start("token", shift: 36_000, fault: "lease.opened=stop")
        await process.waitUntilStopped()
        let locks = fixture.temporary.file("store/locks")
        for name in try FileManager.default.contentsOfDirectory(atPath: locks.path) where name.hasSuffix(".lease") {
            try FileManager.default.removeItem(at: locks.appendingPathComponent(name))
        }
        let lease = try #require(try await fixture.openStore().lease(for: .account(fixture.account)))
        process.signal(SIGCONT)
        // At the file that is there now. With the lock of the old one it would refresh, and end.
        await process.waitUntilStopped()
        #expect(fixture.server.counters.refreshes == 0)
        await lease.release()
        process.signal(SIGCONT)
        #expect(await process.end().tokens.count == 1)
        #expect(fixture.server.counters.refreshes == 1)
        #expect(fixture.server.counters.replays == 0)
        await fixture.server.stop()
    }

    @Test("A disk that is full before the request: an error, and the token is not spent")
    func fullBefore() async throws {
        let fixture = try await ProcessFixture.signedIn()
        #expect(
            try await fixture.run("token", shift: 36_000, fault: "lease.held=full").failures == ["store_full"])
        #expect(fixture.server.counters.refreshes == 0)
        #expect(try await fixture.run("token", shift: 36_000).tokens.count == 1)
        #expect(fixture.server.counters.replays == 0)
        await fixture.server.stop()
    }

    @Test("A disk with space for the note but perhaps not for the result: nothing is sent either")
    func almostFull() async throws {
        let fixture = try await ProcessFixture.signedIn()
        let outcome = try await fixture.run("token", shift: 36_000, largestFile: 16 * 1024)
        #expect(outcome.failures == ["store_full"])
        #expect(fixture.server.counters.refreshes == 0)
        await fixture.server.stop()
    }

    @Test("A disk that is full early: the valid token is served")
    func fullEarly() async throws {
        let fixture = try await ProcessFixture.signedIn()
        #expect(try await fixture.run("token", shift: 33_500, fault: "lease.held=full").tokens.count == 1)
        #expect(fixture.server.counters.refreshes == 0)
        await fixture.server.stop()
    }

    @Test("A disk that is full after the answer: the new token is served, the record stays whole", arguments: [0, 120])
    func fullAfter(graceSeconds: Int) async throws {
        let fixture = try await ProcessFixture.signedIn(grace: .seconds(graceSeconds))
        let outcome = try await fixture.run(
            "token", shift: 36_000, tasks: 4, fault: "exchange.answered=full", pace: 20)
        #expect(outcome.tokens.count == 4)
        #expect(Set(outcome.tokens).count == 1)
        let next = try await fixture.run("token", shift: 36_000)
        if graceSeconds > 0 {
            #expect(next.tokens.count == 1)
        } else {
            #expect(next.failures == ["session_ended"])
        }
        await fixture.server.stop()
    }

    @Test(
        "A sign-out during a refresh wins", arguments: ["lease.held", "intent.noted", "exchange.answered"],
        StorePlace.allCases)
    func signOutWins(point: String, place: StorePlace) async throws {
        let fixture = try await ProcessFixture.signedIn(in: place)
        let holder = try fixture.start("token", shift: 36_000, fault: "\(point)=stop")
        await holder.waitUntilStopped()
        #expect(try await fixture.run("sign-out").lines == ["signed out"])
        holder.signal(SIGCONT)
        let outcome = await holder.end()
        #expect(outcome.tokens == [])
        #expect(outcome.failures.count == 1)
        #expect(try await fixture.run("token", shift: 36_000).failures == ["not_signed_in"])
        #expect(try await fixture.openStore().record(for: .account(fixture.account))?.content == nil)
        await fixture.server.stop()
    }
}
