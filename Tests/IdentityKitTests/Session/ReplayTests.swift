import Foundation
import IdentityLocalServers
import Testing

@testable import IdentityKit

/// What happens when a refresh token was sent and nobody knows what became of it.
@Suite struct ReplayTests {
    private let fixture = SessionsFixture()

    @Test(
        "The policy decides by the age of the first request and what there is to lose",
        arguments: [
            (.always, 0, true, .send), (.always, 0, false, .send), (.always, 9999, true, .send),
            (.always, 9999, false, .send),
            (.parentAlways, 0, true, .send), (.parentAlways, 0, false, .send), (.parentAlways, 9999, true, .send),
            (.parentAlways, 9999, false, .send),
            (.window(.seconds(30)), 0, true, .send), (.window(.seconds(30)), 0, false, .send),
            (.window(.seconds(30)), 24, true, .send), (.window(.seconds(30)), 24, false, .send),
            (.window(.seconds(30)), 26, true, .wait), (.window(.seconds(30)), 26, false, .send),
            (.window(.seconds(30)), 9999, true, .wait), (.window(.seconds(30)), 9999, false, .send),
            (.window(.seconds(30)), -10, true, .wait), (.window(.seconds(5)), 1, true, .wait),
            (.window(.seconds(5)), 1, false, .waitForEnd), (.window(.seconds(5)), 3, false, .send),
            (.never, 0, true, .wait), (.never, 1, true, .wait), (.never, 9999, true, .wait),
            (.never, 1, false, .waitForEnd), (.never, 3, false, .send), (.never, 9999, false, .send),
            (.signInInstead, 1, true, .wait), (.signInInstead, 9999, true, .wait),
            (.signInInstead, 1, false, .giveUp), (.signInInstead, 9999, false, .giveUp),
        ] as [(ReplayPolicy, TimeInterval, Bool, ReplayPolicy.Verdict)])
    func table(policy: ReplayPolicy, age: TimeInterval, usable: Bool, expected: ReplayPolicy.Verdict) {
        let now = Date(timeIntervalSince1970: 1_000_000)
        let intent = RefreshIntent(generation: 1, sentAt: now - age, token: "t")
        #expect(policy.verdict(on: intent, isAccessTokenUsable: usable, hasSenderEnded: true, at: now) == expected)
        #expect(policy.verdict(on: nil, isAccessTokenUsable: usable, hasSenderEnded: true, at: now) == .send)
    }

    @Test("A window counts from the first request, and a sender that saw the end need not be waited for")
    func severalRequests() {
        let now = Date(timeIntervalSince1970: 1_000_000)
        let policy = ReplayPolicy.window(.seconds(30))
        let first = RefreshIntent(generation: 1, sentAt: now - 26, token: "t")
        let second = RefreshIntent(generation: 1, sentAt: now - 1, token: "t", after: first)
        #expect(policy.verdict(on: second, isAccessTokenUsable: false, hasSenderEnded: true, at: now) == .waitForEnd)
        let pause = RefreshPause(
            .inDoubt, TransportError.connectionLost(host: "h"), policy: policy, at: now, after: nil)
        #expect(
            policy.verdict(on: second.inDoubt(until: pause), isAccessTokenUsable: false, hasSenderEnded: true, at: now)
                == .send)
    }

    @Test("A sender that may still run is waited for as long as its request may take")
    func livingSender() {
        let now = Date(timeIntervalSince1970: 1_000_000)
        for (age, expected) in [(3.0, ReplayPolicy.Verdict.waitForEnd), (29, .waitForEnd), (30, .send)] {
            let intent = RefreshIntent(generation: 1, sentAt: now - age, token: "t")
            let verdict = ReplayPolicy.never.verdict(
                on: intent, isAccessTokenUsable: false, hasSenderEnded: false, at: now)
            #expect(verdict == expected)
        }
    }

    @Test("A request that spent nothing does not end an earlier one that may still be running")
    func earlierRequest() {
        let now = Date(timeIntervalSince1970: 1_000_000)
        let pause = RefreshPause(.notSent, TestError(), policy: .never, at: now, after: nil)
        let first = RefreshIntent(generation: 1, sentAt: now - 5, token: "t")
        for (earlier, isOver) in [(first, false), (first.inDoubt(until: pause), true)] {
            let second = RefreshIntent(generation: 1, sentAt: now, token: "t", after: earlier)
            let note = second.unspent(until: pause, knownBefore: earlier)
            #expect(note.isOver(at: now + 3, hasSenderEnded: false) == isOver)
        }
    }

    @Test(
        "A stored note may have any number and any date", arguments: ["9223372036854775807", "-5", "0"],
        ["1e300", "-1e300", "0"])
    func storedNotes(number: String, date: String) throws {
        let content = """
            {"generation":1,"attempt":\(number),"firstSentAt":\(date),"sentAt":\(date),"writtenAt":\(date),"tokenDigest":"t",
            "processID":1,"hasEnded":true,"pause":{"cause":"inDoubt","kind":"k","message":"m","count":\(number),"since":\(date),"until":\(date),
            "reportedAt":\(date)}}
            """
        let now = fixture.clock.now
        let read = try JSONDecoder().decode(RefreshIntent.self, from: Data(content.utf8))
        _ = ReplayPolicy.never.verdict(on: read, isAccessTokenUsable: false, hasSenderEnded: true, at: now)
        let pause = try #require(read.pause)
        _ = (
            pause.holds(at: now), pause.error(for: fixture.account).message,
            read.error(for: fixture.account, hasSenderEnded: true).message
        )
        let next = RefreshIntent(generation: 1, sentAt: now, token: "t", after: read)
        #expect(next.attempt > 0)
        let after = RefreshPause(.inDoubt, TestError(), policy: .never, at: now, after: next.pause)
        #expect(after.holds(at: now) && !after.holds(at: now + 40))
    }

    @Test("A note from the future, of a clock that was set back, counts from the first look at it, whoever looks")
    func noteFromTheFuture() async throws {
        _ = try await fixture.expired()
        let time = TimeSource(now: { fixture.clock.now }, sleep: { _ in })
        let intents = RefreshIntents(store: fixture.store)
        let ahead = fixture.clock.now + 86_400
        _ = try await intents.write(
            RefreshIntent(generation: 1, sentAt: ahead, token: "refresh-0"), for: fixture.account,
            replacing: try await intents.entry(for: fixture.account, at: ahead))
        #expect(await fixture.failureCode(fixture.sessions(time: time)) == "refresh_postponed")
        fixture.clock.advance(by: .seconds(1))
        #expect(await fixture.failureCode(fixture.sessions(time: time)) == "refresh_postponed")
        #expect(fixture.backend.requests == [])
        let note = try await intents.entry(for: fixture.account, at: fixture.clock.now).intent
        #expect(note?.sentAt == fixture.clock.now - 1 && note?.attempt == 1)
        let window = ReplayPolicy.window(.seconds(600))
        let verdict = window.verdict(on: note, isAccessTokenUsable: false, hasSenderEnded: false, at: fixture.clock.now)
        #expect(verdict == .waitForEnd, "the first sending may be longer ago than the window")
        fixture.clock.advance(by: .seconds(30))
        #expect(try await fixture.token(fixture.sessions(time: time)) == "token-1")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("A lost request is repeated once when the access token is gone, and recovers the session")
    func lostRequest() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(.loseRequest)
        #expect(await fixture.failureCode(sessions) == "request_timed_out")
        fixture.clock.advance(by: .seconds(2))
        #expect(try await fixture.token(fixture.sessions()) == "token-1")
        #expect(fixture.backend.requests == ["refresh-0"])
        #expect(fixture.backend.replays == 0)
    }

    @Test("A lost answer costs one sign-in at most, and one replay, and the reason names it")
    func lostAnswer() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(.loseAnswer)
        #expect(await fixture.failureCode(sessions) == "connection_lost")
        fixture.clock.advance(by: .seconds(3))
        let error = await #expect(throws: SessionError.self) { try await fixture.token(sessions) }
        #expect(error?.message.contains("An earlier response was lost") ?? false)
        for _ in 0..<3 { #expect(await fixture.failureCode(sessions) == "session_ended") }
        #expect(fixture.backend.requests == ["refresh-0", "refresh-0"])
    }

    @Test("While the access token works, a token in doubt is not sent again, by anybody")
    func waits() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3550))
        fixture.backend.script(.loseAnswer)
        for sessions in [sessions, sessions, fixture.sessions()] {
            #expect(try await fixture.token(sessions) == "token")
        }
        fixture.clock.advance(by: .seconds(10))
        #expect(try await fixture.token(fixture.sessions()) == "token")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("However often it is lost, the session is kept, and every pause is longer than the one before")
    func outage() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script([RotatingBackend.Answer](repeating: .loseRequest, count: 8))
        var pauses: [TimeInterval] = []
        for _ in 0..<8 {
            #expect(await fixture.failureCode(sessions) == "request_timed_out")
            let intents = RefreshIntents(store: fixture.store)
            let note = try await intents.entry(for: fixture.account, at: fixture.clock.now).intent
            let next = try #require(note?.pause?.error(for: fixture.account).nextAttempt)
            pauses.append(next.timeIntervalSince(fixture.clock.now))
            // Another process keeps to the pause; it would wait for a shorter one.
            if next > fixture.clock.now + 2 {
                #expect(await fixture.failureCode(fixture.sessions()) == "refresh_postponed")
            }
            fixture.clock.advance(by: .seconds(pauses.last ?? 0))
        }
        #expect(zip(pauses, [2, 2, 4, 8, 16, 30, 30, 30] as [Double]).allSatisfy { (0.75...1.25).contains($0 / $1) })
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("A strict policy sends nothing twice")
    func signInInstead() async throws {
        let sessions = try await fixture.expired(replay: .signInInstead)
        fixture.backend.script(.loseRequest)
        #expect(await fixture.failureCode(sessions) == "request_timed_out")
        fixture.clock.advance(by: .seconds(3))
        #expect(await fixture.failureCode(sessions) == "session_suspended")
        #expect(fixture.backend.requests == [])
    }

    @Test("A backend whose refresh tokens are not used up may be asked as often as it takes")
    func always() async throws {
        let sessions = try await fixture.expired(replay: .always)
        fixture.backend.script(.loseRequest, .loseRequest, .loseRequest, .loseRequest)
        for _ in 0..<4 {
            #expect(await fixture.failureCode(sessions) == "request_timed_out")
            fixture.clock.advance(by: .seconds(30))
        }
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test(
        "What certainly was not spent is no replay, however often it fails",
        arguments: [RotatingBackend.Answer.refuseConnection, .turnAway])
    func unspent(answer: RotatingBackend.Answer) async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(answer, answer, answer, .loseRequest, answer, answer)
        for _ in 0..<6 {
            #expect(await fixture.failureCode(sessions) != "session_ended")
            fixture.clock.advance(by: .seconds(40))
        }
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test("Before anything is sent, it is noted durably; a store that takes no note lets nothing be sent")
    func noteFirst() async throws {
        let sessions = try await fixture.expired()
        fixture.store.fail(.write, in: .refreshes, with: TokenStoreError.full(path: "p"), times: 1)
        #expect(await fixture.failureCode(sessions) == "store_full")
        #expect(fixture.backend.requests == [])
        let store = fixture.store
        fixture.backend.script(
            .after {
                let note = try await store.records(in: .refreshes).records.first?.content
                #expect(String(decoding: note ?? Data(), as: UTF8.self).contains(#""generation":1"#))
                #expect(note?.range(of: Data("refresh-0".utf8)) == nil)
            })
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test(
        "Whoever was away for longer than its lease throws its answer away, and revokes nothing",
        arguments: [false, true])
    func lostLease(refuses: Bool) async throws {
        let files = try FileStoreFixture()
        let (time, leasing) = (fixture.clock.dates, StoreLeasing.forAtMost(.seconds(45)))
        let (here, there) = (try files.open(leasing: leasing, time: time), try files.open(leasing: leasing, time: time))
        let (sessions, key) = (fixture.sessions(store: here), StoreKey.account(fixture.account))
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        if refuses { fixture.backend.revoke() }
        let successor = Locked<(any StoreLease)?>(nil)
        fixture.backend.script(
            .after { [fixture] in
                fixture.clock.advance(by: .seconds(46))
                let lease = try await there.lease(for: key)
                successor.withLock { $0 = lease }
            })
        #expect(await fixture.failureCode(sessions) == "refresh_in_progress")
        #expect(fixture.backend.discarded == [])
        #expect(try await there.record(for: key)?.generation == 1)
        #expect(successor.withLock { $0 } != nil)
    }

    @Test("A damaged note is set aside and does not end the session")
    func damagedNote() async throws {
        let files = try FileStoreFixture()
        let fixture = SessionsFixture(store: try files.open())
        let sessions = try await fixture.expired()
        _ = try await fixture.token(sessions)
        let note = files.file(of: StoreKey(.refreshes, fixture.account.id))
        let handle = try FileHandle(forWritingTo: note)
        try handle.truncate(atOffset: 40)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.token(sessions) == "token-2")
    }
}
