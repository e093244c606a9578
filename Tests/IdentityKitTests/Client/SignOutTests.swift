import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

/// A sign-out is over here before its backend knows of it, and without the store's key.
@Suite(.endsInTime) struct SignOutTests {
    private let ada = AccountID(account: "ada", realm: "work")
    private let bob = AccountID(account: "bob", realm: "work")
    private let fixture = SessionsFixture()
    private let gate = Gate()

    /// A provider whose server never responds: the five seconds of a revocation pass only when a test says so.
    private func provider(over store: any TokenStore) -> GatedProvider {
        GatedProvider(store: store, time: fixture.clock.timeSource, monitor: fixture.monitor, gate: gate)
    }

    private func environment(_ store: any TokenStore) -> IdentityEnvironment {
        var environment = IdentityEnvironment(store: store, time: fixture.clock.dates)
        environment.refreshMonitor = fixture.monitor
        return environment
    }

    enum Shape: CaseIterable { case alone, lenient, chain, nested }

    private func client(_ shape: Shape, _ provider: GatedProvider) throws -> IdentityClient {
        let shaped: any IdentityProvider
        func chain(_ provider: any SessionProvider) throws -> IdentityProviderChain {
            try IdentityProviderChain([.init("work", provider)], store: fixture.store)
        }
        switch shape {
        case .alone: shaped = provider
        case .lenient: shaped = provider.treatingAsUnavailable { _ in false }
        case .chain: shaped = try chain(provider)
        case .nested: shaped = try IdentityProviderChain([.init("inner", try chain(provider))])
        }
        return IdentityClient(provider: shaped, environment: environment(fixture.store))
    }

    @Test("Listeners hear of it while the server is still silent", arguments: Shape.allCases)
    func toldFirst(shape: Shape) async throws {
        let provider = provider(over: fixture.store)
        try await provider.sessions.begin(fixture.credential(), for: ada)
        let client = try client(shape, provider)
        var events = client.events().makeAsyncIterator()
        #expect(try await client.account() == ada)
        #expect(await events.next() == .signedIn(ada))
        let signOut = Task { try await client.signOut() }
        #expect(await events.next() == .signedOut)
        #expect(try await client.account() == nil)
        let isRevoked = await gate.isOpen
        #expect(!isRevoked)
        await gate.open()
        try await signOut.value
        #expect(await gate.arrivals == 1)
    }

    @MainActor @Test("A person may sign in again while the server is silent")
    func signInMeanwhile() async throws {
        let provider = provider(over: fixture.store)
        try await provider.sessions.begin(fixture.credential(), for: ada)
        let state = IdentityState(IdentityClient(provider: provider, environment: environment(fixture.store)))
        await state.refresh()
        #expect(state.state == .signedIn(ada))
        let signOut = Task { await state.signOut() }
        while await gate.arrivals == 0 { await Task.yield() }
        while state.isBusy { await Task.yield() }
        #expect(state.state == .signedOut)
        provider.next.withLock { $0 = (bob, fixture.credential(refreshToken: "refresh-9")) }
        await state.signIn()
        #expect(state.state == .signedIn(bob))
        await gate.open()
        await signOut.value
        #expect(state.state == .signedIn(bob) && !state.isBusy && state.problem == nil)
    }

    @Test("A sign-in elsewhere during a sign-out is told when the sign-out is over")
    func signInElsewhere() async throws {
        let held = HeldTokenStore(fixture.store)
        let provider = provider(over: held)
        try await provider.sessions.begin(fixture.credential(), for: ada)
        let client = IdentityClient(provider: provider, environment: environment(held))
        var events = client.events().makeAsyncIterator()
        #expect(try await client.account() == ada)
        await gate.open()
        held.holdErasure(of: ada)
        let signOut = Task { try await client.signOut() }
        await held.erased()
        fixture.clock.advance(by: .seconds(1))
        try await held.whenHeard { try await fixture.sessions().begin(fixture.credential("bob"), for: bob) }
        held.goOn()
        try await signOut.value
        for expected in [IdentityEvent.signedIn(ada), .signedOut, .signedIn(bob)] {
            #expect(await events.next() == expected)
        }
        #expect(try await client.accessToken() == "bob")
    }

    @Test("The late end of a sign-out says nothing about a newer session of the same person, which stays")
    func signInAgain() async throws {
        let held = HeldTokenStore(fixture.store)
        let provider = provider(over: held)
        try await provider.sessions.begin(fixture.credential(), for: ada)
        let client = IdentityClient(provider: provider, environment: environment(held))
        #expect(try await client.account() == ada)
        await gate.open()
        held.holdErasure(of: ada)
        let signOut = Task { try await client.signOut() }
        await held.erased()
        fixture.clock.advance(by: .seconds(1))
        provider.next.withLock { $0 = (ada, fixture.credential("again", refreshToken: "refresh-9")) }
        #expect(try await client.signIn() == ada)
        held.goOn()
        try await signOut.value
        var events = client.events().makeAsyncIterator()
        #expect(await events.next() == .signedIn(ada))
        #expect(try await client.accessToken() == "again")
    }

    @Test("A sign-out that cannot be stored is told to nobody")
    func notStored() async throws {
        let provider = provider(over: fixture.store)
        try await provider.sessions.begin(fixture.credential(), for: ada)
        let client = try client(.alone, provider)
        #expect(try await client.account() == ada)
        fixture.store.fail(.write, with: TokenStoreError.full(path: "x"))
        await #expect(throws: TokenStoreError.full(path: "x")) { try await client.signOut() }
        fixture.store.heal()
        var events = client.events().makeAsyncIterator()
        #expect(await events.next() == .signedIn(ada))
        #expect(await gate.arrivals == 0)
    }

    @Test("A sign-out that was stored, though its confirmation was lost, is one, and its server is told")
    func unconfirmed() async throws {
        let provider = provider(over: fixture.store)
        try await provider.sessions.begin(fixture.credential(), for: ada)
        let client = try client(.alone, provider)
        #expect(try await client.account() == ada)
        await gate.open()
        fixture.store.fail(
            .acknowledge, in: .accounts, with: TokenStoreError.unavailable(place: "db", detail: "lost"), times: 1)
        try await client.signOut()
        #expect(try await client.account() == nil)
        #expect(await gate.arrivals == 1)
    }

    // MARK: Without the store's key

    /// A client of a store with sessions of `accounts`, whose key is gone.
    private func withoutKey(
        _ accounts: AccountID..., base: any TokenStore = MemoryTokenStore(), isChain: Bool = false,
        test: (IdentityClient, any TokenStore) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let key = folder.file("keys/store.key")
        func store() -> SealedTokenStore { SealedTokenStore(base, storeID: "s", key: KeyFile(path: key.path)) }
        for account in accounts { try await provider(over: store()).sessions.begin(fixture.credential(), for: account) }
        try FileManager.default.removeItem(at: key)
        let lost = store()
        let provider = provider(over: lost)
        let shaped: any SessionProvider = isChain ? try IdentityProviderChain([.init("work", provider)]) : provider
        try await test(IdentityClient(provider: shaped, environment: environment(lost)), base)
    }

    @Test(
        "Without the store's key the only session ends, and that nothing is revoked is reported",
        arguments: [true, false])
    func only(isChain: Bool) async throws {
        try await withoutKey(ada, isChain: isChain) { client, base in
            let reports = try await fixture.monitor.reports { try await client.signOut() }
            guard case .notRevoked(ada, _)? = reports.first, reports.count == 1 else { throw TestError() }
            #expect(try await base.record(for: .account(ada))?.content == nil)
            #expect(await gate.arrivals == 0)
            try await client.signOut()
        }
    }

    @Test("Without the store's key nobody guesses which of several is meant")
    func several() async throws {
        try await withoutKey(ada, bob) { client, base in
            let error = await #expect(throws: UnreadableChoiceError.self) { try await client.signOut() }
            #expect(error?.accounts == [ada, bob])
            try await client.signOut(as: bob)
            #expect(try await base.record(for: .account(ada))?.content != nil)
            try await client.signOut()
            #expect(try await base.record(for: .account(ada))?.content == nil)
        }
    }

    @Test("Without the store's key nobody is signed out in place of an account whose record is damaged")
    func damaged() async throws {
        let files = try FileStoreFixture()
        try await withoutKey(ada, bob, base: files.open()) { client, base in
            try Data("damaged".utf8).write(to: files.file(of: .account(ada)))
            let error = await #expect(throws: TokenStoreError.self) { try await client.signOut() }
            #expect(error?.failureCode == "store_corrupt")
            #expect(try await base.record(for: .account(bob))?.content != nil)
            try await client.signOut(as: bob)
            #expect(try await base.record(for: .account(bob))?.content == nil)
        }
    }
}

/// A provider whose backend revokes when a gate opens.
private final class GatedProvider: SessionBackedProvider {
    let sessions: ProviderSessions
    /// Who signs in next.
    let next = Locked<(account: AccountID, credential: Credential)?>(nil)

    init(store: any TokenStore, time: TimeSource, monitor: RefreshMonitor, gate: Gate) {
        sessions = ProviderSessions(
            realm: "work", origin: .anyone(at: "https://id.example.com"), store: store, time: time, monitor: monitor,
            revoke: { _ in await gate.pass() }
        ) { _ in throw CancellationError() }
    }

    func signIn(in context: CallerContext) async throws -> AccountID? {
        guard let next = next.withLock({ $0 }) else { return nil }
        try await sessions.begin(next.credential, for: next.account)
        return next.account
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func signOut(_ accountID: AccountID) async throws {
        guard let credential = try await sessions.end(accountID) else { return }
        await sessions.revoke(credential, of: accountID)
    }
}
