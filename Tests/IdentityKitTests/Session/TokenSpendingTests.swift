import Foundation
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityKit

@Suite("A refresh token that is sent in another request than a refresh", .endsInTime)
struct TokenSpendingTests {
    private let fixture = SessionsFixture()
    private let sent = Locked<[String]>([])

    private struct Seen: Sendable, Equatable {
        let token: String?
        let isLeased: Bool
        let attempt: Int?
    }

    private func begun() async throws -> ProviderSessions {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        return sessions
    }

    /// Sends it, to a server that answers or not.
    private func spend(
        _ sessions: ProviderSessions, _ answer: @escaping @Sendable () throws -> Result<String, any Error>
    ) async throws -> String {
        try await sessions.spendingRefreshToken(of: fixture.account) { [sent] credential, context in
            try await context.spend {
                sent.withLock { $0.append(credential.refreshToken?.reveal() ?? "") }
                return try answer()
            }
        }
    }

    private func code(_ work: () async throws -> String) async -> String? {
        do {
            _ = try await work()
            return nil
        } catch { return (error as? any IdentityFailure)?.failureCode }
    }

    @Test("It is sent with the lease and after the note of a refresh, and afterwards the session is what it was")
    func likeRefresh() async throws {
        let sessions = try await begun()
        let (store, account, now) = (fixture.store, fixture.account, fixture.clock.now)
        let seen: Seen = try await sessions.spendingRefreshToken(of: account) { credential, context in
            try await context.spend {
                let lease = try await store.lease(for: .account(account))
                let note = try await RefreshIntents(store: store).entry(for: account, at: now).intent
                return .success(
                    Seen(
                        token: credential.refreshToken?.reveal(), isLeased: lease == nil, attempt: note?.attempt))
            }
        }
        #expect(seen == Seen(token: "refresh-0", isLeased: true, attempt: 1))
        for process in [sessions, fixture.sessions()] {
            #expect(try await fixture.token(process) == "token")
            #expect(try await spend(process) { .success("other") } == "other")
        }
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(try await spend(fixture.sessions()) { .success("other") } == "other")
        #expect(sent.withLock { $0 } == ["refresh-0", "refresh-0", "refresh-1"])
        #expect(fixture.backend.requests == ["refresh-0"] && fixture.backend.replays == 0)
    }

    @Test("While it is unknown whether it has arrived, it is sent neither so nor in a refresh, by any process")
    func doubt() async throws {
        let sessions = try await begun()
        let lost = TransportError.timedOut(host: "id.example.com", after: .seconds(30))
        #expect(await code { try await spend(sessions) { throw lost } } != nil)
        fixture.clock.advance(by: .seconds(120))
        for process in [sessions, fixture.sessions()] {
            #expect(await code { try await spend(process) { .success("other") } } == "refresh_in_progress")
            let longer = await code {
                try await process.accessToken(
                    for: fixture.account, scopes: [], freshness: .lasting(.seconds(7200)))
            }
            #expect(longer == "refresh_in_progress")
            #expect(try await fixture.token(process) == "token")
        }
        #expect(sent.withLock { $0 } == ["refresh-0"] && fixture.backend.requests.isEmpty)
    }

    @Test("After a refresh whose response was lost it is not sent")
    func doubtOfRefresh() async throws {
        let sessions = try await begun()
        fixture.backend.script(.loseRequest)
        let lost = await code {
            try await sessions.accessToken(for: fixture.account, scopes: [], freshness: .lasting(.seconds(7200)))
        }
        #expect(lost != nil)
        fixture.clock.advance(by: .seconds(120))
        #expect(await code { try await spend(fixture.sessions()) { .success("other") } } == "refresh_in_progress")
        #expect(sent.withLock { $0.isEmpty })
    }

    @Test("An error of the server is told, costs the session nothing, and makes nobody wait")
    func refused() async throws {
        let sessions = try await begun()
        for _ in 1...2 {
            let refused = TestError(failureCode: "invalid_target", failureClass: .definitive)
            #expect(await code { try await spend(sessions) { .failure(refused) } } == "invalid_target")
        }
        #expect(try await sessions.credential(for: fixture.account, scopes: []).refreshToken == "refresh-0")
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.token(sessions) == "token-1")
        var session = try await sessions.credential(for: fixture.account, scopes: [])
        session.refreshToken = nil
        try await sessions.begin(session, for: fixture.account)
        #expect(await code { try await spend(sessions) { .success("other") } } == "session_cannot_refresh")
        #expect(sent.withLock { $0 } == ["refresh-0", "refresh-0"])
    }
}
