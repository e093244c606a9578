import Foundation
import IdentityLocalServers
import IdentityTesting
import Testing

@testable import IdentityKit

/// A refresh that is turned away without a clear word: when it is sent again, when the session is over, who is told.
@Suite struct RefreshPauseTests {
    private let fixture = SessionsFixture()

    @Test(
        "The token is not sent again for half a minute, by any process; the same answer after that suspends the session"
    )
    func second() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(.refuseAmbiguously("invalid_request"), .refuseAmbiguously("invalid_request"))
        #expect(await fixture.failureCode(sessions) == "refresh_refused")
        for sessions in [sessions, fixture.sessions()] {
            #expect(await fixture.failureCode(sessions) == "refresh_refused")
            #expect(try await sessions.lookUp().account == fixture.account)
        }
        fixture.clock.advance(by: .seconds(27))
        #expect(await fixture.failureCode(sessions) == "refresh_refused")
        #expect(fixture.backend.requests == ["refresh-0"])
        fixture.clock.advance(by: .seconds(3))
        for sessions in [fixture.sessions(), sessions] {
            #expect(await fixture.failureCode(sessions) == "session_suspended")
        }
        #expect(fixture.backend.requests == ["refresh-0", "refresh-0"])
    }

    @Test("A second answer of another kind does not end the session, and begins the count anew")
    func otherKind() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(
            .refuseAmbiguously("invalid_request"), .refuseAmbiguously("unauthorized"), .refuseClient("unauthorized"),
            .refuseAmbiguously("unauthorized"))
        for expected in ["refresh_refused", "refresh_refused", "unauthorized", "refresh_refused"] {
            #expect(await fixture.failureCode(sessions) == expected)
            fixture.clock.advance(by: .seconds(30))
        }
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test("An answer that was turned away leaves no doubt: the token is sent again whatever the replay policy")
    func noDoubt() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(.refuseClient("invalid_client"), .refuseClient("invalid_client"))
        for _ in 0..<2 {
            #expect(await fixture.failureCode(sessions) == "invalid_client")
            fixture.clock.advance(by: .seconds(30))
        }
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test("What was in doubt before the answer stays in doubt")
    func doubt() async throws {
        let sessions = try await fixture.expired(replay: .signInInstead)
        fixture.backend.script(.loseRequest)
        #expect(await fixture.failureCode(sessions) == "request_timed_out")
        fixture.clock.advance(by: .seconds(3))
        fixture.backend.script(.refuseClient("invalid_client"))
        // Another policy may send it once more, and gets an answer about the client alone.
        #expect(await fixture.failureCode(fixture.sessions(replay: .never)) == "invalid_client")
        fixture.clock.advance(by: .seconds(30))
        #expect(await fixture.failureCode(sessions) == "session_suspended")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("A mistake in the configuration is reported once an hour, and never ends the session")
    func misconfigured() async throws {
        let sessions = try await fixture.expired()
        let reports = fixture.monitor.reports()
        fixture.backend.script(Array(repeating: .refuseClient("invalid_client"), count: 4))
        for (pause, expected) in [(30, "invalid_client"), (3569, "invalid_client"), (0, "invalid_client")] {
            #expect(await fixture.failureCode(sessions) == expected)
            #expect(await fixture.failureCode(fixture.sessions()) == "client_refused")
            fixture.clock.advance(by: .seconds(pause))
        }
        fixture.clock.advance(by: .seconds(30))
        #expect(await fixture.failureCode(fixture.sessions()) == "invalid_client")
        fixture.clock.advance(by: .seconds(30))
        #expect(try await fixture.token(sessions) == "token-1")
        var codes: [String] = []
        for await report in reports {
            if case .misconfigured(_, let error as TestError) = report { codes.append(error.failureCode) }
            if case .refreshed = report { break }
        }
        #expect(codes == ["invalid_client", "invalid_client"])
    }

    @Test("A scope that is refused keeps the session, for an hour or until a person has authorized it again")
    func stepUpNeeded() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(scopes: ["mail"]), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        fixture.backend.script(.refuseScope("invalid_scope"), .refuseScope("invalid_scope"))
        for process in [sessions, fixture.sessions(), sessions] {
            let error = await #expect(throws: SessionError.self) { try await fixture.token(process) }
            guard case .stepUpNeeded(fixture.account, ["mail"], _, let next)? = error else { throw TestError() }
            #expect(next == fixture.clock.now + 3600 && error?.failureCode == "insufficient_scope")
            #expect(error?.failureClass == .definitive && error?.asksForSignIn == false)
        }
        #expect(fixture.backend.requests == ["refresh-0"])
        try await sessions.retryNow(fixture.account)
        fixture.clock.advance(by: .seconds(3599))
        #expect(await fixture.failureCode(sessions) == "insufficient_scope")
        #expect(fixture.backend.requests == ["refresh-0"])
        fixture.clock.advance(by: .seconds(1))
        #expect(await fixture.failureCode(sessions) == "insufficient_scope")
        #expect(fixture.backend.requests == ["refresh-0", "refresh-0"])
        // A step-up brings another refresh token, which is sent when it has to be.
        let authorized = fixture.credential("authorized", refreshToken: "refresh-1", scopes: ["mail"])
        try await sessions.begin(authorized, for: fixture.account)
        #expect(try await fixture.token(sessions) == "authorized")
        fixture.clock.advance(by: .seconds(3600))
        #expect(await fixture.failureCode(sessions) == "session_ended")
        #expect(fixture.backend.requests == ["refresh-0", "refresh-0", "refresh-1"])
    }

    @Test("While the access token works nobody notices", arguments: ["ambiguous", "client"])
    func stillValid(kind: String) async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3550))
        fixture.backend.script(kind == "client" ? .refuseClient("x") : .refuseAmbiguously("x"))
        for sessions in [sessions, fixture.sessions(), sessions] {
            #expect(try await fixture.token(sessions) == "token")
        }
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("A server that asks to wait gets no request before its time, by any process, and at most an hour later")
    func asksToWait() async throws {
        let sessions = try await fixture.expired()
        for (asked, kept) in [(Duration.seconds(90), 90), (.seconds(86_400), 3600), (nil, 1)] as [(Duration?, Int)] {
            fixture.backend.script(.askToWait(asked))
            let requests = fixture.backend.requests.count
            #expect(await fixture.failureCode(sessions) == "slow_down")
            if kept > 2 {
                for sessions in [sessions, fixture.sessions()] {
                    #expect(await fixture.failureCode(sessions) == "refresh_postponed")
                }
            }
            #expect(fixture.backend.requests.count == requests + 1)
            fixture.clock.advance(by: .seconds(Double(kept) * 1.25))
        }
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test("A server that asks for no time at all is not asked by everybody at once")
    func asksForNoTime() {
        let now = fixture.clock.now
        let pause = RefreshPause(
            .askedToWait, TestError(), length: .zero, policy: .always, at: now, after: nil)
        #expect(pause.holds(at: now + 0.5) && !pause.holds(at: now + 1.5))
    }

    @Test("A person who asks for another attempt waits two seconds at most, and a server's own time stays")
    func retryNow() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script([RotatingBackend.Answer](repeating: .loseRequest, count: 6) + [.askToWait(.seconds(90))])
        for _ in 0..<5 {
            _ = await fixture.failureCode(sessions)
            fixture.clock.advance(by: .seconds(40))
        }
        #expect(await fixture.failureCode(sessions) == "request_timed_out")
        #expect(await fixture.failureCode(sessions) == "refresh_postponed")
        try await fixture.sessions().retryNow(fixture.account)
        fixture.clock.advance(by: .seconds(2))
        #expect(await fixture.failureCode(sessions) == "slow_down")
        try await sessions.retryNow(fixture.account)
        fixture.clock.advance(by: .seconds(2))
        #expect(await fixture.failureCode(sessions) == "refresh_postponed")
        fixture.clock.advance(by: .seconds(90))
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test("The same response that cannot be read is the configuration's fault after a minute, and the session is kept")
    func unreadable() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(Array(repeating: .answerUnreadably("no_json"), count: 3))
        #expect(await fixture.failureCode(sessions) == "no_json")
        #expect(await fixture.failureCode(fixture.sessions()) == "refresh_postponed")
        fixture.clock.advance(by: .seconds(59))
        #expect(await fixture.failureCode(sessions) == "no_json")
        fixture.clock.advance(by: .seconds(5))
        // For all, in whichever process.
        for sessions in [sessions, fixture.sessions()] {
            #expect(await fixture.failureCode(sessions) == "client_refused")
            #expect(try await sessions.lookUp().account == fixture.account)
        }
        #expect(fixture.backend.requests.count == 3)
        fixture.clock.advance(by: .seconds(40))
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test("Another kind of response between begins the minute anew, and an error that is definitive needs none")
    func otherUnreadable() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(
            .answerUnreadably("no_json"), .loseRequest, .answerUnreadably("no_json"), .answerUnreadably("no_token"),
            .answerUnreadably("elsewhere", .definitive))
        for expected in ["no_json", "request_timed_out", "no_json", "no_token", "elsewhere"] {
            #expect(await fixture.failureCode(sessions) == expected)
            #expect(
                await fixture.failureCode(fixture.sessions())
                    == (expected == "elsewhere" ? "client_refused" : "refresh_postponed"))
            fixture.clock.advance(by: .seconds(60))
        }
    }

    @Test("A response that cannot be read leaves the token in doubt, as the policy of the server has it")
    func unreadableDoubt() async throws {
        let sessions = try await fixture.expired(replay: .signInInstead)
        fixture.backend.script(.answerUnreadably("no_json"))
        #expect(await fixture.failureCode(sessions) == "no_json")
        fixture.clock.advance(by: .seconds(30))
        #expect(await fixture.failureCode(sessions) == "session_suspended")
        #expect(fixture.backend.requests.count == 1)
    }

    @Test("Without a network a call makes one attempt, and a second one within a second waits for its end")
    func offline() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(.refuseConnection, .refuseConnection)
        #expect(await fixture.failureCode(sessions) == "connection_refused")
        let (start, other) = (fixture.clock.now, fixture.sessions(time: fixture.clock.timeSource))
        let code = await fixture.whileTimePasses { await fixture.failureCode(other) }
        #expect(code == "connection_refused")
        #expect(fixture.clock.now >= start + 1)
    }

    @Test("A pause that ends while the lease is released holds nobody back")
    func endsDuringRelease() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(.refuseConnection)
        #expect(await fixture.failureCode(sessions) == "connection_refused")
        let slow = SlowlyReleasingStore(wrapped: fixture.store, clock: fixture.clock)
        #expect(try await fixture.token(fixture.sessions(store: slow)) == "token-1")
    }

    @Test("A clock that was set back does not keep the token resting")
    func clockSetBack() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(.refuseAmbiguously("invalid_request"))
        #expect(await fixture.failureCode(sessions) == "refresh_refused")
        let back = TimeSource(now: { fixture.clock.now - 60 }, sleep: { _ in })
        #expect(try await fixture.token(fixture.sessions(time: back), replacing: "token") == "token-1")
    }

    @Test("The ID token that was dropped is reported, and the session goes on")
    func droppedIDToken() async throws {
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        let reports = fixture.monitor.reports()
        let sessions = fixture.sessions { credential in
            guard case .refreshed(let refreshed, _, _) = try await fixture.backend.refresh(credential) else {
                throw TestError()
            }
            return .refreshed(refreshed, dropping: TestError(failureCode: "id_token_missing"))
        }
        #expect(try await fixture.token(sessions) == "token-1")
        var iterator = reports.makeAsyncIterator()
        guard case .refreshed? = await iterator.next(),
            case .droppedIDToken(fixture.account, _)? = await iterator.next()
        else { throw TestError() }
    }
}

/// A store on a server that is slow: while a lease is released, two seconds pass.
private struct SlowlyReleasingStore: TokenStoreWrapper {
    let wrapped: any TokenStore
    let clock: ManualClock

    func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        try await wrapped.lease(for: key).map { Lease(base: $0, clock: clock) }
    }

    private struct Lease: StoreLease {
        let base: any StoreLease
        let clock: ManualClock

        func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
            try await base.write(content, replacing: generation)
        }

        func release() async {
            await base.release()
            clock.advance(by: .seconds(2))
        }
    }
}
