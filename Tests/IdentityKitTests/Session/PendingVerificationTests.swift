import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("A result is stored first, then verified, then handed out")
struct PendingVerificationTests {
    private let fixture = SessionsFixture()

    /// What the backend answers, with an ID token that nobody has verified.
    private func unverified(_ credential: Credential) async throws -> RefreshResult {
        guard case .refreshed(var refreshed, _, _) = try await fixture.backend.refresh(credential) else {
            throw TestError()
        }
        refreshed.pendingVerification = PendingVerification(
            idToken: "new-id-token", sentAt: fixture.clock.now, receivedAt: fixture.clock.now, serverDate: nil)
        return .refreshed(refreshed)
    }

    private typealias Verify = @Sendable (Credential) async throws -> RefreshVerification

    private func sessions(verify: @escaping Verify) -> ProviderSessions {
        fixture.sessions(exchange: { try await unverified($0) }, verify: verify)
    }

    private static func verified(_ credential: Credential) -> RefreshVerification {
        var credential = credential
        credential.idToken = credential.pendingVerification?.idToken
        credential.pendingVerification = nil
        return .verified(credential)
    }

    private func expired(verify: @escaping Verify) async throws -> ProviderSessions {
        let sessions = sessions(verify: verify)
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        return sessions
    }

    @Test("When it is verified, the refresh token is in the store")
    func storedFirst() async throws {
        let (store, account) = (fixture.store, fixture.account)
        let found = Locked<[String?]>([])
        let sessions = try await expired { credential in
            let stored = try await store.record(for: .account(account))?.content.map {
                String(decoding: $0, as: UTF8.self)
            }
            found.withLock { $0.append(stored) }
            return Self.verified(credential)
        }
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(found.withLock { $0 }.count == 1)
        #expect(found.withLock { $0 }.first??.contains("refresh-1") == true)
        #expect(try await sessions.storedCredential(of: account)?.idToken == "new-id-token")
        #expect(try await sessions.storedCredential(of: account)?.pendingVerification == nil)
    }

    @Test("What a process did not live to verify, the next one verifies first, and sends nothing")
    func nextVerifies() async throws {
        let dying = try await expired { _ in throw CancellationError() }
        #expect(await fixture.failureCode(dying) != nil)
        // Not for those who cannot verify it.
        #expect(await fixture.failureCode(fixture.sessions()) == "session_cannot_refresh")
        let next = sessions { Self.verified($0) }
        #expect(try await fixture.token(next) == "token-1")
        #expect(try await fixture.token(fixture.sessions()) == "token-1")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("Who cannot wait gets nothing until it is verified")
    func immediate() async throws {
        let store = MemoryTokenStore()
        let dying = fixture.sessions(
            store: store, exchange: { try await unverified($0) }, verify: { _ in throw CancellationError() })
        try await dying.begin(fixture.credential(), for: fixture.account)
        #expect(try dying.immediateCredential()??.credential.accessToken == "token")
        fixture.clock.advance(by: .seconds(3600))
        #expect(await fixture.failureCode(dying) != nil)
        #expect(try await dying.storedCredential(of: fixture.account)?.accessToken == "token-1")
        #expect(try dying.immediateCredential() == nil)
        let next = fixture.sessions(store: store, verify: { Self.verified($0) })
        #expect(try await fixture.token(next) == "token-1")
        #expect(try next.immediateCredential()??.credential.accessToken == "token-1")
    }

    @Test("A result that can neither be stored nor be verified is kept, and handed out to nobody")
    func neitherStoredNorVerified() async throws {
        let canVerify = Locked(false)
        let sessions = fixture.sessions(
            time: fixture.clock.timeSource, exchange: { try await unverified($0) },
            verify: { credential in
                guard canVerify.withLock({ $0 }) else { throw TestError() }
                return Self.verified(credential)
            })
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        fixture.store.fail(.write, in: .accounts, with: TokenStoreError.full(path: "p"))
        var reports = fixture.monitor.reports().makeAsyncIterator()
        await #expect(throws: TestError.self) {
            try await fixture.whileTimePasses { try await fixture.token(sessions) }
        }
        guard case .notStored? = await reports.next() else { throw TestError() }
        fixture.store.heal()
        canVerify.withLock { $0 = true }
        // Stored by then, it is verified first.
        #expect(try await fixture.whileTimePasses { try await fixture.token(sessions) } == "token-1")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("A result that is not for this session ends it, and none of it is handed out")
    func refused() async throws {
        let sessions = try await expired { _ in .refused(reason: "It is somebody else's.") }
        #expect(await fixture.failureCode(sessions) == "session_ended")
        #expect(await fixture.failureCode(fixture.sessions()) == "session_ended")
    }

    @Test("Early, while the old token works, it is the old one that is used until the new one is verified")
    func early() async throws {
        let dying = sessions { _ in throw CancellationError() }
        try await dying.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3550))
        #expect(try await fixture.token(dying) == "token")
        let next = sessions { Self.verified($0) }
        #expect(try await fixture.token(next) == "token-1")
    }

    @Test("A verified result that cannot be written is used, and verified once more by the next process")
    func verifiedButNotWritten() async throws {
        let count = Locked(0)
        let verify: Verify = { credential in
            count.withLock { $0 += 1 }
            return Self.verified(credential)
        }
        let sessions = try await expired(verify: verify)
        fixture.store.fail(.write, in: .accounts, with: TokenStoreError.full(path: "p"), after: 1)
        #expect(try await fixture.token(sessions) == "token-1")
        fixture.store.heal()
        #expect(try await fixture.token(self.sessions(verify: verify)) == "token-1")
        #expect(count.withLock { $0 } == 2)
    }

    @Test("It survives the way to the store and back")
    func coded() throws {
        var credential = fixture.credential()
        credential.pendingVerification = PendingVerification(
            idToken: "t", sentAt: fixture.clock.now, receivedAt: fixture.clock.now, serverDate: fixture.clock.now + 5)
        let data = try JSONEncoder().encode(credential)
        #expect(try JSONDecoder().decode(Credential.self, from: data) == credential)
    }
}
