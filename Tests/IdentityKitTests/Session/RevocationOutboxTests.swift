import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

/// Sign-outs whose backend cannot be told at once.
@Suite struct RevocationOutboxTests {
    private let fixture = SessionsFixture()
    private let backend = RevokingBackend()
    private var account: AccountID { fixture.account }

    /// What one process has.
    private func sessions(store: (any TokenStore)? = nil, areIndependent: Bool = true) -> ProviderSessions {
        ProviderSessions(
            realm: "work", origin: .anyone(at: "https://id.example.com"), store: store ?? fixture.store,
            time: fixture.clock.dates, monitor: fixture.monitor, areIndependent: { _, _ in areIndependent },
            revoke: { [backend] in try backend.revoke($0) }
        ) { _ in throw CancellationError() }
    }

    private func signOut(_ sessions: ProviderSessions, refreshToken: Secret = "refresh-0") async throws {
        try await sessions.begin(fixture.credential(refreshToken: refreshToken), for: account)
        let former = try #require(try await sessions.end(account))
        await sessions.revoke(former, of: account)
    }

    /// How many revocations wait.
    private var waiting: Int {
        get async throws { try await fixture.store.records(in: .revocations).records.count { $0.content != nil } }
    }

    private func failures(_ reports: [SessionReport]) -> [String?] {
        reports.map { if case .notRevoked(account, let error) = $0 { error.failureCode } else { nil } }
    }

    @Test("A revocation that fails for now waits, and of two processes one sends it a minute later")
    func later() async throws {
        backend.answer = TransportError.connectionRefused(host: "id.example.com")
        let reports = try await fixture.monitor.reports { try await signOut(sessions()) }
        #expect(reports.count == 1)
        guard case .revocationPostponed(account, let error)? = reports.first else { throw TestError() }
        #expect(error is TransportError)
        #expect(try await waiting == 1)
        guard case .absent(.signedOut) = try await sessions().lookUp() else { throw TestError() }
        await sessions().deliverRevocations()
        #expect(backend.asked == ["refresh-0"], "not twice within a minute")
        backend.answer = nil
        fixture.clock.advance(by: .seconds(61))
        let processes = [sessions(), sessions()]
        for process in processes { _ = try await process.lookUp() }
        for process in processes { await process.deliverRevocations() }
        #expect(backend.asked == ["refresh-0", "refresh-0"])
        #expect(try await waiting == 0)
    }

    @Test("It is tried once a minute for a day, and then dropped, which is reported")
    func expired() async throws {
        backend.answer = TransportError.connectionRefused(host: "id.example.com")
        try await signOut(sessions())
        let process = sessions()
        for _ in 0..<3 {
            fixture.clock.advance(by: .seconds(61))
            await process.deliverRevocations()
            await process.deliverRevocations()
        }
        #expect(backend.asked.count == 4)
        fixture.clock.advance(by: .seconds(24 * 60 * 60))
        backend.answer = nil
        let reports = try await fixture.monitor.reports { await process.deliverRevocations() }
        #expect(failures(reports) == ["revocation_expired"])
        #expect(backend.asked.count == 4)
        #expect(try await waiting == 0)
    }

    @Test("Whoever asks to be forgotten leaves no sign-out that waits, and others stay")
    func forgotten() async throws {
        backend.answer = TransportError.connectionRefused(host: "id.example.com")
        let other = AccountID(account: "somebody-else", realm: "work")
        let process = sessions()
        try await process.begin(fixture.credential(refreshToken: "refresh-1"), for: other)
        let former = try #require(try await process.end(other))
        await process.revoke(former, of: other)
        try await signOut(process)
        #expect(try await waiting == 2)
        try await fixture.store.eraseAccount(account)
        #expect(try await waiting == 1)
        #expect(try await fixture.store.record(for: .account(account))?.content == nil)
        let newest = StoreKey.currentAccount(ofRealm: "work")
        #expect(try await fixture.store.record(for: newest)?.content == nil)
    }

    @Test(
        "A damaged sign-out that waits keeps nobody from being forgotten and leaves no copy, and other damage is told",
        arguments: [false, true])
    func damaged(isSealed: Bool) async throws {
        let files = try FileStoreFixture()
        let base = try files.open()
        let key = KeyFile(path: files.temporary.file("keys/store.key").path)
        let store: any TokenStore = isSealed ? SealedTokenStore(base, storeID: "s", key: key) : base
        backend.answer = TransportError.connectionRefused(host: "id.example.com")
        try await signOut(sessions(store: store))
        let entry = try #require(try await store.records(in: .revocations).records.first)
        try Data("damaged".utf8).write(to: files.file(of: entry.key))
        let cancelled = FaultyTokenStore(store)
        cancelled.fail(.read, in: .revocations, with: CancellationError(), times: 1)
        await #expect(throws: CancellationError.self) { try await cancelled.eraseAccount(account) }
        try await store.eraseAccount(account)
        let left = try await store.records(in: .revocations)
        #expect(left.failures.isEmpty && left.records.map(\.key) == [entry.key] && left.records[0].content == nil)
        let quarantine = files.root.appendingPathComponent("quarantine").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: quarantine) == [])
        try await signOut(sessions(store: store))
        try Data("damaged".utf8).write(to: files.file(of: .currentAccount(ofRealm: "work")))
        let code = await FileStoreFixture.failureCode { try await store.eraseAccount(account) }
        #expect(code == "store_corrupt")
        #expect(try await store.records(in: .revocations).records.allSatisfy { $0.content == nil })
    }

    @Test("A revocation sealed with another key may name whoever is forgotten, which is told, and no slot is searched")
    func sealedWithOtherKey() async throws {
        let (base, old, new) = (MemoryTokenStore(), try DataKey().text.reveal(), try DataKey().text.reveal())
        func store(_ keys: String) -> FaultyTokenStore {
            FaultyTokenStore(SealedTokenStore(base, storeID: "s", key: VariableKey(variable: "KEY") { _ in keys }))
        }
        try await store(old).write(Data("{}".utf8), for: .account(account), replacing: 0)
        try await store("\(new) \(old)").write(Data("{}".utf8), for: StoreKey(.revocations, "1"), replacing: 0)
        let behind = store(old)
        let code = await FileStoreFixture.failureCode { try await behind.eraseAccount(account) }
        #expect(code == "store_sealed_with_other_key" && behind.count(of: .read, in: .revocations) == 0)
    }

    @Test("A final answer ends it, at once or later")
    func final() async throws {
        let reports = try await fixture.monitor.reports { try await signOut(sessions()) }
        #expect(reports.isEmpty)
        #expect(try await waiting == 0)
        let refusal = TestError(failureCode: "invalid_client", failureClass: .definitive)
        backend.answer = refusal
        let atOnce = try await fixture.monitor.reports { try await signOut(sessions()) }
        #expect(failures(atOnce) == ["invalid_client"])
        #expect(try await waiting == 0)
        backend.answer = TransportError.connectionRefused(host: "id.example.com")
        try await signOut(sessions())
        backend.answer = refusal
        fixture.clock.advance(by: .seconds(61))
        let later = try await fixture.monitor.reports { await sessions().deliverRevocations() }
        #expect(failures(later) == ["invalid_client"])
        #expect(try await waiting == 0)
    }

    @Test("A revocation waits if any of its grants may be revoked later")
    func severalGrants() async throws {
        let sessions = ProviderSessions(
            realm: "work", origin: .anyone(at: "https://id.example.com"), store: fixture.store,
            time: fixture.clock.dates, monitor: fixture.monitor,
            revoke: { credential in
                if credential.refreshToken == "refresh-0" { throw TestError() }
                throw TransportError.connectionRefused(host: "id.example.com")
            }
        ) { _ in throw CancellationError() }
        var credential = fixture.credential()
        credential.grants = [Grant(id: "further", fixture.credential(refreshToken: "refresh-1"))]
        let reports = try await fixture.monitor.reports { await sessions.revoke(credential, of: account) }
        guard case .revocationPostponed(account, _)? = reports.first else { throw TestError() }
        #expect(try await waiting == 1)
    }

    @Test("A new session that the old one's revocation may end is left alone", arguments: [true, false])
    func replaced(areIndependent: Bool) async throws {
        backend.answer = TransportError.connectionRefused(host: "id.example.com")
        try await signOut(sessions())
        backend.answer = nil
        let process = sessions(areIndependent: areIndependent)
        try await process.begin(fixture.credential(refreshToken: "refresh-9"), for: account)
        fixture.clock.advance(by: .seconds(61))
        let reports = try await fixture.monitor.reports { await process.deliverRevocations() }
        #expect(failures(reports) == (areIndependent ? [] : ["revocation_replaced"]))
        #expect(backend.asked.count == (areIndependent ? 2 : 1))
        #expect(try await waiting == 0)
    }

    @Test("Another configuration's revocations stay")
    func foreign() async throws {
        backend.answer = TransportError.connectionRefused(host: "id.example.com")
        try await signOut(sessions())
        fixture.clock.advance(by: .seconds(61))
        let other = ProviderSessions(
            realm: "work", origin: .anyone(at: "https://other.example.com"), store: fixture.store,
            time: fixture.clock.dates, revoke: { [backend] in try backend.revoke($0) }
        ) { _ in throw CancellationError() }
        await other.deliverRevocations()
        #expect(backend.asked.count == 1)
        #expect(try await waiting == 1)
    }

    @Test("A sign-out is stored before its server answers, and one whose caller gives up is not forgotten")
    func cancelled() async throws {
        let (never, hold) = AsyncStream.makeStream(of: Void.self)
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let sessions = ProviderSessions(
            realm: "work", origin: .anyone(at: "https://id.example.com"), store: fixture.store,
            time: fixture.clock.dates,
            revoke: { _ in
                ask.finish()
                for await _ in never {}
            }
        ) { _ in throw CancellationError() }
        let task = Task { try await signOut(sessions) }
        for await _ in asked {}
        #expect(try await waiting == 1)
        task.cancel()
        try await task.value
        hold.finish()
        #expect(try await waiting == 1)
        fixture.clock.advance(by: .seconds(61))
        await self.sessions().deliverRevocations()
        #expect(backend.asked == ["refresh-0"])
        #expect(try await waiting == 0)
    }

    @Test("Damaged records of others keep no sign-out from waiting")
    func besideDamaged() async throws {
        let files = try FileStoreFixture()
        let store = try files.open()
        backend.answer = TransportError.connectionRefused(host: "id.example.com")
        for slot in 0..<64 {
            let key = StoreKey(.revocations, "\(slot)")
            try await store.write(Data(), for: key, replacing: 0)
            try Data("damaged".utf8).write(to: files.file(of: key))
        }
        try await signOut(sessions(store: store))
        #expect(try await store.records(in: .revocations).records.count { $0.content != nil } == 1)
    }

    @Test("A thousand wait at most")
    func full() async throws {
        for slot in 0..<1000 {
            try await fixture.store.write(Data(), for: StoreKey(.revocations, "\(slot)"), replacing: 0)
        }
        backend.answer = TransportError.connectionRefused(host: "id.example.com")
        let process = sessions()
        try await process.begin(fixture.credential(), for: account)
        let former = try #require(try await process.end(account))
        let reports = try await fixture.monitor.reports { await process.revoke(former, of: account) }
        #expect(failures(reports) == ["connection_refused"])
        #expect(try await fixture.store.records(in: .revocations).records.count == 1000)
    }

    @Test("What waits is sealed, and an erased slot is used again")
    func sealed() async throws {
        let (base, folder) = (MemoryTokenStore(), try TemporaryFolder())
        let store = SealedTokenStore(base, storeID: "s", key: KeyFile(path: folder.file("keys/store.key").path))
        backend.answer = TransportError.connectionRefused(host: "id.example.com")
        for round in 1...70 {
            let process = sessions(store: store)
            try await signOut(process)
            let records = try await base.records(in: .revocations).records.filter { $0.content != nil }
            #expect(records.count == 1)
            #expect(records.allSatisfy { $0.content?.range(of: Data("refresh-0".utf8)) == nil })
            if round == 1 {
                var shown = ""
                dump((process, try await store.records(in: .revocations)), to: &shown)
                #expect(!shown.contains("refresh-0"))
            }
            backend.answer = nil
            fixture.clock.advance(by: .seconds(61))
            await sessions(store: store).deliverRevocations()
            backend.answer = TransportError.connectionRefused(host: "id.example.com")
        }
        #expect(try await base.records(in: .revocations).records.count <= 64)
    }

    // MARK: Without the key

    private func expectNothing(from process: ProviderSessions) async throws {
        let former = try await process.end(account)
        #expect(former == nil)
    }

    @Test("A sealed session ends without the key, unread, and that is reported")
    func withoutKey() async throws {
        let (base, folder) = (MemoryTokenStore(), try TemporaryFolder())
        let key = folder.file("keys/store.key")
        func store() -> SealedTokenStore { SealedTokenStore(base, storeID: "s", key: KeyFile(path: key.path)) }
        try await sessions(store: store()).begin(fixture.credential(), for: account)
        try FileManager.default.removeItem(at: key)
        let process = sessions(store: store())
        let generation = try #require(try await base.record(for: .account(account))?.generation)
        let reports = try await fixture.monitor.reports { try await expectNothing(from: process) }
        #expect(failures(reports) == ["store_key_unavailable"])
        let erased = try await base.record(for: .account(account))
        #expect(erased?.content == nil && erased?.generation == generation + 1)
        let again = try await fixture.monitor.reports { try await expectNothing(from: process) }
        #expect(again.isEmpty)
        #expect(backend.asked == [])
    }
}

/// A backend that is asked to revoke.
private final class RevokingBackend: Sendable {
    private let state = Locked((answer: (any Error)?.none, asked: [String]()))

    /// What it answers; `nil` where it revokes.
    var answer: (any Error)? {
        get { state.withLock { $0.answer } }
        set { state.withLock { $0.answer = newValue } }
    }

    /// The refresh tokens that it was asked to revoke, in order.
    var asked: [String] { state.withLock { $0.asked } }

    func revoke(_ credential: Credential) throws {
        let answer = state.withLock { state in
            state.asked.append(credential.refreshToken?.reveal() ?? "")
            return state.answer
        }
        if let answer { throw answer }
    }
}

extension Error {
    fileprivate var failureCode: String { (self as? any IdentityFailure)?.failureCode ?? "" }
}
