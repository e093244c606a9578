import Foundation
import IdentityKit
import IdentityTestKit
import Testing

@Suite struct ProviderSessionsTests {
    private let clock = ManualClock()
    private let store = MemoryTokenStore()
    private let account = AccountID(account: "ada", realm: "work")
    private let exchanges = Locked<[String]>([])

    private func sessions(
        backend: String = "https://id.example.com",
        _ exchange: (@Sendable (Credential) async throws -> RenewalAnswer)? = nil
    ) -> ProviderSessions {
        ProviderSessions(
            realm: "work", backend: backend, store: store, time: clock.dates
        ) { [clock, exchanges] credential in
            exchanges.withLock { $0.append(credential.accessToken.reveal()) }
            if let exchange { return try await exchange(credential) }
            var renewed = credential
            renewed.accessToken = Secret(credential.accessToken.reveal() + "+")
            (renewed.issuedAt, renewed.expiresAt) = (clock.now, clock.now + 3600)
            return .renewed(renewed)
        }
    }

    private func credential(
        _ token: String = "token", refreshToken: Secret? = "refresh", scopes: Set<String> = [],
        backend: String = "https://id.example.com"
    ) -> Credential {
        Credential(
            accessToken: Secret(token), refreshToken: refreshToken, scopes: scopes, issuedAt: clock.now,
            expiresAt: clock.now + 3600, signedInAt: clock.now, backend: backend)
    }

    private func token(_ sessions: ProviderSessions, replacing rejected: String? = nil) async throws -> String {
        try await sessions.credential(for: account, scopes: [], replacing: rejected).accessToken.reveal()
    }

    @Test("A valid token is handed out without an exchange")
    func valid() async throws {
        let sessions = sessions()
        try await sessions.begin(credential(), for: account)
        clock.advance(by: .seconds(3539))
        #expect(try await token(sessions) == "token")
        #expect(exchanges.withLock { $0 } == [])
    }

    @Test("An expired token is renewed once, however many tasks and client objects ask")
    func onceForAll() async throws {
        let objects = [sessions(), sessions(), sessions()]
        try await objects[0].begin(credential(), for: account)
        clock.advance(by: .seconds(3600))
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<60 { group.addTask { try await token(objects[index % 3]) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["token+"])
        #expect(exchanges.withLock { $0 } == ["token"])
    }

    @Test("A refused token is replaced, and only while it is still the current one")
    func rejected() async throws {
        let sessions = sessions()
        try await sessions.begin(credential(), for: account)
        #expect(try await token(sessions, replacing: "token") == "token+")
        #expect(try await token(sessions, replacing: "token") == "token+")
        #expect(exchanges.withLock { $0 } == ["token"])
    }

    @Test("A renewal that fails for now leaves the valid token in use")
    func transientFailureEarly() async throws {
        let sessions = sessions { _ in throw TransportError.connectionRefused(host: "id.example.com") }
        try await sessions.begin(credential(), for: account)
        clock.advance(by: .seconds(3550))
        #expect(try await token(sessions) == "token")
        await #expect(throws: TransportError.self) { try await token(sessions, replacing: "token") }
        clock.advance(by: .seconds(60))
        await #expect(throws: TransportError.self) { try await token(sessions) }
        #expect(try await sessions.lookUp().account == account)
    }

    @Test("A refusal ends the session for everybody, with its reason")
    func refusal() async throws {
        let sessions = sessions { _ in .refused(reason: "The refresh token was revoked.") }
        try await sessions.begin(credential(), for: account)
        clock.advance(by: .seconds(3600))
        for _ in 0..<2 {
            await #expect(throws: SessionError.ended(account, reason: "The refresh token was revoked.")) {
                try await token(sessions)
            }
        }
        #expect(exchanges.withLock { $0.count } == 1)
        let lookup = try await sessions.lookUp()
        guard case .none(.sessionEnded("The refresh token was revoked.")) = lookup else {
            Issue.record("\(lookup)")
            return
        }
    }

    @Test("A sign-out during a renewal wins")
    func signOutWins() async throws {
        let other = sessions()
        let sessions = sessions { [account] credential in
            try await other.end(account)
            return .renewed(credential)
        }
        try await sessions.begin(credential(), for: account)
        clock.advance(by: .seconds(3600))
        await #expect(throws: SessionError.notSignedIn(account)) { try await token(sessions) }
        guard case .none(.signedOut) = try await sessions.lookUp() else {
            Issue.record("the session came back")
            return
        }
    }

    @Test("A sign-in during a renewal wins, also over a refusal")
    func signInWins() async throws {
        for refuses in [false, true] {
            let other = sessions()
            let fresh = credential("fresh")
            let sessions = sessions { [account] credential in
                var later = fresh
                later.expiresAt = .distantFuture
                try await other.begin(later, for: account)
                return refuses ? .refused(reason: "used already") : .renewed(credential)
            }
            try await sessions.begin(credential(), for: account)
            clock.advance(by: .seconds(3600))
            #expect(try await token(sessions) == "fresh")
        }
    }

    @Test("Without a refresh token the session lasts as long as its access token")
    func noRefreshToken() async throws {
        let sessions = sessions()
        try await sessions.begin(credential(refreshToken: nil), for: account)
        #expect(try await token(sessions) == "token")
        clock.advance(by: .seconds(3600))
        await #expect(throws: SessionError.cannotRenew(account)) { try await token(sessions) }
    }

    @Test("Scopes the session lacks are named")
    func scopes() async throws {
        let sessions = sessions()
        try await sessions.begin(credential(scopes: ["openid"]), for: account)
        _ = try await sessions.credential(for: account, scopes: ["openid"])
        await #expect(throws: SessionError.insufficientScope(account, missing: ["mail"])) {
            try await sessions.credential(for: account, scopes: ["openid", "mail"])
        }
    }

    @Test("A session of another backend is neither used nor touched")
    func otherBackend() async throws {
        try await sessions().begin(credential(), for: account)
        let moved = sessions(backend: "https://other.example.com")
        #expect(try await moved.lookUp().account == nil)
        await #expect(throws: SessionError.notSignedIn(account)) { try await token(moved) }
        #expect(try await token(sessions()) == "token")
    }

    @Test("The account that signed in last is the one that is found")
    func lastSignIn() async throws {
        let sessions = sessions()
        let other = AccountID(account: "bob", realm: "work")
        try await sessions.begin(credential(), for: account)
        clock.advance(by: .seconds(10))
        try await sessions.begin(credential("bob's"), for: other)
        #expect(try await sessions.lookUp().account == other)
        try await sessions.end(other)
        #expect(try await sessions.lookUp().account == account)
    }
}
