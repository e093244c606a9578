import Foundation
import IdentityLocalServers
import Testing

@testable import IdentityKit

/// What happens when a refresh token was sent and nobody knows what became of it.
@Suite struct ReplayTests {
    private let fixture = SessionsFixture()

    @Test(
        "The policy decides by the attempt, the age of the intent and what there is to lose",
        arguments: [
            (.always, 1, 0, true, .send(attempt: 2)), (.always, 7, 9999, false, .send(attempt: 8)),
            (.parentAlways, 3, 9999, true, .send(attempt: 4)),
            (.window(.seconds(30)), 1, 24, true, .send(attempt: 2)), (.window(.seconds(30)), 1, 26, true, .wait),
            (.window(.seconds(30)), 1, 26, false, .send(attempt: 2)), (.window(.seconds(30)), 2, 1, true, .wait),
            (.window(.seconds(30)), 2, 1, false, .giveUp), (.window(.seconds(30)), 1, -10, true, .wait),
            (.never, 1, 1, true, .wait), (.never, 1, 1, false, .send(attempt: 2)), (.never, 2, 1, false, .giveUp),
            (.never, 2, 1, true, .wait), (.signInInstead, 1, 1, true, .wait), (.signInInstead, 1, 1, false, .giveUp),
        ] as [(ReplayPolicy, Int, TimeInterval, Bool, ReplayPolicy.Verdict)])
    func table(policy: ReplayPolicy, attempt: Int, age: TimeInterval, usable: Bool, expected: ReplayPolicy.Verdict) {
        let now = Date(timeIntervalSince1970: 1_000_000)
        let intent = RefreshIntent(generation: 1, attempt: attempt, sentAt: now - age, token: "t")
        #expect(policy.verdict(on: intent, isAccessTokenUsable: usable, at: now) == expected)
        #expect(policy.verdict(on: nil, isAccessTokenUsable: usable, at: now) == .send(attempt: 1))
    }

    @Test("A stored number of attempts may be any number")
    func storedAttempts() {
        let now = Date(timeIntervalSince1970: 1_000_000)
        let intent = RefreshIntent(generation: 1, attempt: .max, sentAt: now, token: "t")
        #expect(ReplayPolicy.always.verdict(on: intent, isAccessTokenUsable: true, at: now) == .send(attempt: .max))
    }

    @Test("A lost request is repeated once when the access token is gone, and recovers the session")
    func lostRequest() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(.loseRequest)
        #expect(await fixture.failureCode(sessions) == "request_timed_out")
        #expect(try await fixture.token(fixture.sessions()) == "token-1")
        #expect(fixture.backend.requests == ["refresh-0"])
        #expect(fixture.backend.replays == 0)
    }

    @Test("A lost answer costs one sign-in at most, and one replay")
    func lostAnswer() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(.loseAnswer)
        #expect(await fixture.failureCode(sessions) == "connection_lost")
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

    @Test("After a second loss nothing is sent any more, and the session has ended")
    func twice() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(.loseRequest, .loseRequest)
        for _ in 0..<2 { #expect(await fixture.failureCode(sessions) == "request_timed_out") }
        for _ in 0..<2 { #expect(await fixture.failureCode(sessions) == "session_ended") }
        #expect(fixture.backend.requests == [])
        #expect(try await sessions.lookUp().account == nil)
        try await sessions.begin(fixture.credential("fresh"), for: fixture.account)
        #expect(try await fixture.token(sessions) == "fresh")
    }

    @Test("A strict policy sends nothing twice")
    func signInInstead() async throws {
        let sessions = try await fixture.expired(replay: .signInInstead)
        fixture.backend.script(.loseRequest)
        #expect(await fixture.failureCode(sessions) == "request_timed_out")
        #expect(await fixture.failureCode(sessions) == "session_ended")
        #expect(fixture.backend.requests == [])
    }

    @Test("A backend whose refresh tokens are not used up may be asked as often as it takes")
    func always() async throws {
        let sessions = try await fixture.expired(replay: .always)
        fixture.backend.script(.loseRequest, .loseRequest, .loseRequest, .loseRequest)
        for _ in 0..<4 { #expect(await fixture.failureCode(sessions) == "request_timed_out") }
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test(
        "What certainly was not spent is no replay, however often it fails",
        arguments: [RotatingBackend.Answer.refuseConnection, .turnAway])
    func unspent(answer: RotatingBackend.Answer) async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(answer, answer, answer, .loseRequest, answer, answer)
        for _ in 0..<6 { #expect(await fixture.failureCode(sessions) != "session_ended") }
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
