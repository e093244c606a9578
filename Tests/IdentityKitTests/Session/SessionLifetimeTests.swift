import Foundation
import IdentityLocalServers
import TestSupport
import Testing

@testable import IdentityKit

/// A session that is over counts as absent, with its reason, wherever it is looked for.
@Suite(.endsInTime) struct SessionLifetimeTests {
    private let fixture = SessionsFixture()
    private let bob = AccountID(account: "bob", realm: "work")

    private func reason(_ lookup: AccountLookup) -> String? {
        if case .absent(let reason) = lookup { reason.description } else { nil }
    }

    @Test("A session that has expired and has no refresh token is absent")
    func expired() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(refreshToken: nil), for: fixture.account)
        #expect(try await sessions.lookUp().account == fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        let expected = "the session has ended: It has expired and cannot be refreshed."
        #expect(try await reason(sessions.lookUp()) == expected)
        #expect(try await reason(sessions.lookUp(fixture.account)) == expected)
        #expect(await fixture.failureCode(sessions) == "session_cannot_refresh")
    }

    @Test("A session past its absolute end is absent, whatever its tokens say", arguments: [false, true])
    func absoluteEnd(wasRead: Bool) async throws {
        let sessions = fixture.sessions()
        var credential = fixture.credential(lifetime: 7200)
        credential.sessionEndsAt = fixture.clock.now + 3600
        try await sessions.begin(credential, for: fixture.account)
        if wasRead { #expect(try await fixture.token(sessions) == "token") }
        fixture.clock.advance(by: .seconds(3599))
        #expect(try await fixture.token(sessions) == "token")
        #expect(try await sessions.lookUp().account == fixture.account)
        fixture.clock.advance(by: .seconds(1))
        #expect(await fixture.failureCode(sessions) == "session_ended")
        #expect(
            try await reason(sessions.lookUp()) == "the session has ended: It has reached the end of its lifetime.")
        #expect(fixture.backend.requests.isEmpty)
    }

    @Test("Nothing is erased: with the clock put right the session is there again")
    func wrongClock() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(refreshToken: nil), for: fixture.account)
        let ahead = TimeSource(now: { fixture.clock.now + 7200 }, sleep: { _ in })
        #expect(try await fixture.sessions(time: ahead).lookUp().account == nil)
        #expect(try await sessions.lookUp().account == fixture.account)
    }

    @Test("Of several accounts without a session, the one that signed in last says why")
    func reasons() async throws {
        let sessions = fixture.sessions()
        // Signed out long ago, however its record sorts.
        for name in ["aaa", "zzz", "old"] {
            let account = AccountID(account: name, realm: "work")
            try await sessions.begin(fixture.credential(), for: account)
            try await sessions.end(account)
        }
        fixture.clock.advance(by: .seconds(60))
        try await sessions.begin(fixture.credential(refreshToken: nil, lifetime: 60), for: bob)
        fixture.clock.advance(by: .seconds(60))
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        fixture.backend.revoke()
        #expect(await fixture.failureCode(sessions) == "session_ended")
        #expect(try await reason(sessions.lookUp()) == "the session has ended: The refresh token was revoked.")
        try await sessions.end(fixture.account)
        #expect(
            try await reason(sessions.lookUp()) == "the session has ended: It has expired and cannot be refreshed.")
        try await sessions.end(bob)
        #expect(try await reason(sessions.lookUp()) == "the user signed out")
    }

    @Test("The ended session keeps the person's name")
    func profile() async throws {
        let sessions = fixture.sessions()
        var credential = fixture.credential()
        credential.profile = AccountProfile(displayName: "Ada Lovelace", email: "ada@example.com")
        try await sessions.begin(credential, for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        // What the backend did not repeat stays.
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(try await sessions.storedCredential(of: fixture.account)?.profile == credential.profile)
        fixture.clock.advance(by: .seconds(3600))
        fixture.backend.revoke()
        #expect(await fixture.failureCode(sessions) == "session_ended")
        let record = try #require(try await fixture.store.record(for: .account(fixture.account)))
        guard case .ended(let session)? = try SessionRecord(record) else { throw TestError() }
        #expect(session.profile == credential.profile)
    }

    // MARK: What a sign-in replaces

    @Test("A new sign-in revokes the session it replaces, once it is stored")
    func replaced() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        try await sessions.begin(fixture.credential(refreshToken: "refresh-9"), for: fixture.account)
        #expect(fixture.backend.discarded == ["refresh-0"])
    }

    @Test("Nothing is revoked that the new session lives from, that is over, or that belongs elsewhere")
    func notRevoked() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        try await sessions.begin(fixture.credential("wider"), for: fixture.account)
        #expect(fixture.backend.discarded == [])
        var other = fixture.credential(refreshToken: "refresh-8")
        other.clientID = "other"
        try await sessions.begin(other, for: fixture.account)
        #expect(fixture.backend.discarded == [])
        try await sessions.begin(fixture.credential(refreshToken: nil, lifetime: 60), for: fixture.account)
        fixture.clock.advance(by: .seconds(60))
        try await sessions.begin(fixture.credential(), for: fixture.account)
        #expect(fixture.backend.discarded == [])
    }

    @Test("A server that does not answer the revocation does not keep the person from going on")
    func hangingRevocation() async throws {
        let (never, hold) = AsyncStream.makeStream(of: Void.self)
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let sessions = ProviderSessions(
            realm: "work", origin: .anyone(at: "https://id.example.com"), store: fixture.store,
            time: fixture.clock.timeSource,
            discard: { _ in
                ask.yield()
                for await _ in never {}
            }, areIndependent: { _, _ in true }, exchange: { .refreshed($0) })
        try await sessions.begin(fixture.credential(), for: fixture.account)
        async let second: Void = sessions.begin(fixture.credential(refreshToken: "next"), for: fixture.account)
        for await _ in asked { break }
        while fixture.clock.sleeperCount == 0 { await Task.yield() }
        fixture.clock.advance(by: .seconds(5))
        try await second
        hold.finish()
    }
}
