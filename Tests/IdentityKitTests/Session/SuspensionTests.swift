import Foundation
import IdentityTesting
import Testing

@testable import IdentityKit

/// A session that needs its person: what is kept, who is told, and what ends it.
@Suite struct SuspensionTests {
    private let fixture = SessionsFixture()

    private func suspended(lifetime: TimeInterval = 3600) async throws -> ProviderSessions {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(lifetime: lifetime), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        fixture.backend.script(.askForPerson("login_required"))
        _ = await fixture.failureCode(sessions, replacing: "token")
        return sessions
    }

    /// A session that was refused twice in words that mean nothing for sure, a minute apart.
    private func refusedTwice() async throws -> ProviderSessions {
        let sessions = try await fixture.expired()
        for _ in 0..<2 {
            fixture.backend.script(.refuseAmbiguously("invalid_request"))
            _ = await fixture.failureCode(sessions)
            fixture.clock.advance(by: .seconds(60))
        }
        return sessions
    }

    @Test("It is kept and looked up, its token cannot be used, and the server is asked again after an hour")
    func personNeeded() async throws {
        let sessions = try await suspended()
        #expect(await fixture.failureCode(sessions) == "session_suspended")
        let lookup = try await fixture.sessions().lookUp()
        #expect(lookup.account == fixture.account)
        #expect(lookup.suspension?.nextAttempt == fixture.clock.now + 3600)
        #expect(try await fixture.sessions().lookUp(fixture.account).suspension == lookup.suspension)
        #expect(fixture.backend.requests == ["refresh-0"])
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(try await fixture.sessions().lookUp().suspension == nil)
    }

    @Test("A token that works is handed out, and one that a resource refused is not")
    func usableToken() async throws {
        let sessions = try await suspended(lifetime: 36_000)
        #expect(try await fixture.token(sessions) == "token")
        #expect(try await fixture.token(fixture.sessions()) == "token")
        #expect(await fixture.failureCode(fixture.sessions(), replacing: "token") == "session_suspended")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("A sign-in ends it")
    func signIn() async throws {
        let sessions = try await suspended()
        try await sessions.begin(fixture.credential("fresh"), for: fixture.account)
        #expect(try await fixture.token(sessions) == "fresh")
        #expect(try await sessions.lookUp().suspension == nil)
    }

    @Test("It clears no doubt: a token that may be spent still rests while the access token works")
    func keepsDoubt() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(lifetime: 36_000), for: fixture.account)
        fixture.backend.script(.loseRequest, .askForPerson("login_required"))
        #expect(await fixture.failureCode(sessions, replacing: "token") == "request_timed_out")
        fixture.clock.advance(by: .seconds(3))
        #expect(await fixture.failureCode(sessions, replacing: "token") == "session_suspended")
        let record = try #require(try await fixture.store.record(for: .account(fixture.account)))
        guard case .live(let credential)? = try SessionRecord(record) else { throw TestError() }
        let note = try await RefreshIntents(store: fixture.store).entry(for: fixture.account, at: fixture.clock.now)
            .intent
        #expect(note?.attempt == 1)
        #expect(note?.generation == credential.tokensSince)
        #expect(credential.tokensSince != record.generation)
    }

    @Test("A refusal that means nothing for sure suspends at the second time, and ends on five days in a week")
    func ambiguous() async throws {
        let sessions = try await refusedTwice()
        #expect(try await sessions.lookUp().suspension != nil)
        for day in 1...7 {
            fixture.clock.advance(by: .seconds(86_400))
            fixture.backend.script(.refuseAmbiguously("invalid_request"))
            #expect(await fixture.failureCode(sessions) == (day < 7 ? "session_suspended" : "session_ended"))
        }
    }

    @Test("A server that is well again resumes the session")
    func recovers() async throws {
        let sessions = try await refusedTwice()
        let reports = fixture.monitor.reports()
        #expect(try await fixture.token(sessions) == "token-1")
        for await report in reports {
            if case .resumed(fixture.account) = report { break }
        }
        #expect(try await sessions.lookUp().suspension == nil)
    }

    @Test("An access token without a refresh token: its issuer decides, and twice refused is over")
    func inquiry() async throws {
        let answers = Locked<[Bool?]>([])
        let sessions = fixture.sessions(inquire: { _ in answers.withLock { $0.isEmpty ? true : $0.removeFirst() } })
        try await sessions.begin(fixture.credential(refreshToken: nil, lifetime: nil), for: fixture.account)
        // The issuer takes it: only the resource does not.
        #expect(await fixture.failureCode(sessions, replacing: "token") == "session_cannot_refresh")
        #expect(try await fixture.token(sessions) == "token")
        answers.withLock { $0 = [false] }
        #expect(await fixture.failureCode(sessions, replacing: "token") == "session_suspended")
        #expect(await fixture.failureCode(sessions) == "session_suspended")
        #expect(try await sessions.lookUp().suspension != nil)
        // It takes it again.
        fixture.clock.advance(by: .seconds(30))
        #expect(try await fixture.token(sessions) == "token")
        #expect(try await sessions.lookUp().suspension == nil)
        for code in ["session_suspended", "session_ended"] {
            answers.withLock { $0 = [false] }
            #expect(await fixture.failureCode(sessions, replacing: "token") == code)
            fixture.clock.advance(by: .seconds(30))
        }
    }

    @Test("Where the issuer has no endpoint for that, the session is suspended and the token works elsewhere")
    func noInquiry() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(refreshToken: nil, lifetime: nil), for: fixture.account)
        #expect(await fixture.failureCode(sessions, replacing: "token") == "session_suspended")
        #expect(try await fixture.token(sessions) == "token")
        #expect(try await sessions.lookUp().suspension?.nextAttempt == nil)
    }

    @Test("A clock that was ahead does not let it rest until then")
    func clockAhead() async throws {
        _ = try await suspended()
        let back = TimeSource(now: { fixture.clock.now - 86_400 }, sleep: { _ in })
        #expect(try await fixture.token(fixture.sessions(time: back), replacing: "token") == "token-1")
    }

    @Test("A suspension that cannot be read is none")
    func damaged() throws {
        var credential = fixture.credential()
        credential.suspension = Suspension("k", because: "r", retries: .hourly, at: fixture.clock.now)
        let encoded = try SessionRecord.live(credential).encoded()
        let key = StoreKey.account(fixture.account)
        guard case .live(let read)? = try SessionRecord(StoreRecord(key: key, generation: 1, content: encoded)) else {
            throw TestError()
        }
        #expect(read.suspension == credential.suspension)
        let text = String(decoding: encoded, as: UTF8.self)
            .replacingOccurrences(of: #""kind":"k""#, with: #""kind":7"#)
        let record = StoreRecord(key: key, generation: 1, content: Data(text.utf8))
        guard case .live(let odd)? = try SessionRecord(record) else { throw TestError() }
        #expect(odd.suspension == nil)
    }
}
