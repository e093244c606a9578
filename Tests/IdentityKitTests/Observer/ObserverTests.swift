import Foundation
import IdentityLocalServers
import TestSupport
import Testing

@testable import IdentityKit

/// What an observer is told of refreshes, the store and chains, as they really happen.
@Suite(.endsInTime) struct ObserverTests {
    private let fixture = SessionsFixture()
    private let recorder = EventRecorder()
    private var account: AccountID { fixture.account }

    init() { fixture.monitor.observers.add(recorder) }

    @Test("Of two who ask at one time, one begins the refresh and the other shares it")
    func shared() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(
            .after { [recorder, clock = fixture.clock] in
                await recorder.first("refresh.shared")
                clock.advance(by: .seconds(3))
            })
        async let one = fixture.token(sessions)
        async let other = fixture.token(sessions)
        #expect(try await [one, other] == ["token-1", "token-1"])
        let names = await recorder.names("refresh.", until: "refresh.stored")
        #expect(names.sorted() == ["refresh.began", "refresh.shared", "refresh.stored"])
        #expect(names.last == "refresh.stored")
        let end = await recorder.first("refresh.stored")
        #expect(end.duration == .seconds(3) && end.account == account && end.level == .info && end.failureCode == nil)
        #expect(end.description == "the session of work/ada was refreshed [3 s]")
        await recorder.first("session.refreshed")
    }

    @Test("A refusal ends the session, with its code")
    func refused() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.revoke()
        #expect(await fixture.failureCode(sessions) == "session_ended")
        let end = await recorder.first("refresh.refused")
        #expect(end.level == .warning && end.failureCode == "session_ended")
    }

    @Test("A lost connection is a failure")
    func failed() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(.loseAnswer)
        #expect(await fixture.failureCode(sessions) == "connection_lost")
        #expect(await recorder.first("refresh.failed").failureCode == "connection_lost")
    }

    @Test("A sign-in while a refresh is under way is a conflict, and the refresh is lost")
    func conflict() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.script(
            .after { [fixture] in
                try await fixture.sessions().begin(fixture.credential("anew", refreshToken: "x"), for: fixture.account)
            })
        #expect(try await fixture.token(sessions) == "anew")
        await recorder.first("refresh.lost")
        let conflict = await recorder.first("store.conflict")
        guard case .store(let event) = conflict.kind else { throw TestError() }
        #expect(event.account == account && event.collection == .accounts && conflict.level == .debug)
    }

    @Test("A refresh that cannot be stored is told with the store's failure, and so is that it is stored after all")
    func lostWrite() async throws {
        let sessions = fixture.sessions(time: fixture.clock.timeSource)
        try await sessions.begin(fixture.credential(), for: account)
        fixture.clock.advance(by: .seconds(3600))
        fixture.store.fail(.write, in: .accounts, with: TokenStoreError.full(path: "p"))
        #expect(try await fixture.whileTimePasses { try await fixture.token(sessions) } == "token-1")
        #expect(await recorder.first("refresh.not_stored").failureCode == "store_full")
        #expect(await recorder.first("session.not_stored").level == .warning)
        #expect(await recorder.first("store.failed").failureCode == "store_full")
        fixture.store.heal()
        await fixture.whileTimePasses { _ = await recorder.first("session.stored") }
    }

    @Test("Whoever waits for another holder of the lease is told for how long, by the injected clock")
    func waiting() async throws {
        let sessions = fixture.sessions(time: fixture.clock.timeSource)
        try await sessions.begin(fixture.credential(), for: account)
        fixture.clock.advance(by: .seconds(3600))
        let lease = try #require(try await fixture.store.lease(for: .account(account)))
        async let token = fixture.token(sessions)
        while fixture.clock.sleeperCount == 0 { await Task.yield() }
        await lease.release()
        fixture.clock.advance(by: .seconds(2))
        #expect(try await token == "token-1")
        #expect(await recorder.first("store.waited").duration == .seconds(2))
        #expect(await recorder.first("refresh.stored").duration == .seconds(2))
    }

    @Test("A damaged note is set aside, and that is told")
    func damaged() async throws {
        let sessions = try await fixture.expired()
        fixture.store.fail(.read, in: .refreshes, with: TokenStoreError.corrupt(path: "p", detail: "d"), times: 2)
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(await recorder.first("store.set_aside").level == .warning)
    }

    /// A store that once could not flush a folder.
    private struct UnflushedStore: TokenStoreWrapper, EventfulTokenStore {
        let wrapped: any TokenStore = MemoryTokenStore()
        let events = KeptEvents()

        init(_ account: AccountID) {
            let error = TokenStoreError.notWritable(path: "p", detail: "d")
            events.add(StoreEvent(.notFlushed(error), .account(account)))
        }

        func takeEvents() -> [StoreEvent] { events.take() }
    }

    @Test("A record that a power failure may undo is told once, also behind a sealed store")
    func unflushed() async throws {
        let folder = try TemporaryFolder()
        let store = SealedTokenStore(
            UnflushedStore(account), storeID: "s", key: KeyFile(path: folder.file("key").path))
        let sessions = fixture.sessions(store: store)
        try await sessions.begin(fixture.credential(), for: account)
        #expect(await recorder.first("store.not_flushed").failureCode == "store_not_writable")
        fixture.clock.advance(by: .seconds(3600))
        _ = try await sessions.accessToken(for: account, scopes: [])
        let names = await recorder.names("store.", until: "refresh.stored")
        #expect(names.filter { $0 == "store.not_flushed" }.count == 1)
    }

    @Test("A chain that falls back, its attempts, and what the client makes of it are told")
    func fallingBack() async throws {
        let chain = ChainFixture([.account("ada"), .account("bob"), .absent(.neverSignedIn)], store: fixture.store)
        let environment = IdentityEnvironment(
            store: fixture.store, refreshMonitor: fixture.monitor, time: chain.clock.timeSource, variables: [:])
        let client = IdentityClient(
            provider: try IdentityProviderChain(
                chain.links, store: fixture.store, onSessionEnd: .fallBack, time: chain.clock.timeSource,
                observers: environment.observers), environment: environment)
        #expect(try await client.account() == .ada("first"))
        chain.providers[0].setSilent(.absent(.sessionEnded("It was revoked.")))
        #expect(try await client.account() == AccountID(account: "bob", realm: "second"))
        let told = await recorder.names("c", until: "client.fell_back")
        #expect(
            told == [
                "chain.attempt", "chain.selection_changed", "client.signed_in",
                // The chosen account's provider, and then everybody in order.
                "chain.attempt", "chain.attempt", "chain.attempt", "chain.selection_changed", "client.session_ended",
                "client.fell_back",
            ])
        guard case .chain(.attempt(let attempt)) = recorder.events.first?.kind else { throw TestError() }
        #expect(attempt.duration == .zero && attempt.provider == "first")
    }

    @Test("Everything made from an environment is observed by whom it was given")
    func environment() async throws {
        let environment = IdentityEnvironment(
            store: fixture.store, time: fixture.clock.dates, variables: [:], observers: [recorder])
        let sessions = ProviderSessions(
            SessionBackend(origin: .anyone(at: "https://id.example.com")) { [backend = fixture.backend] credential in
                try await backend.refresh(credential)
            }, in: ProviderContext(name: "work", environment: environment))
        try await sessions.begin(fixture.credential(), for: account)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.token(sessions) == "token-1")
        await recorder.first("refresh.stored")
        let configuration = IdentityConfiguration(
            store: .memory, providers: [ProviderConfiguration(name: "guest", type: "anonymous", settings: [:])])
        let client = try IdentityClient(
            configuration: configuration, registry: ProviderRegistry([AnonymousPlugin.self]), environment: environment)
        _ = try await client.account()
        await recorder.first("chain.selection_changed")
    }

    @Test("A slow observer keeps no refresh waiting, and none is called once it was removed")
    func slowAndRemoved() async throws {
        let slow = SlowObserver()
        let remove = fixture.monitor.observers.add(slow)
        let sessions = try await fixture.expired()
        #expect(try await fixture.token(sessions) == "token-1")
        await recorder.first("refresh.stored")
        while slow.calls == 0 { await Task.yield() }

        let removal = Task { await remove() }
        slow.goOn()
        await removal.value
        // The call that was under way was waited for.
        #expect(!slow.isInCall)
        let calls = slow.calls
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.token(sessions) == "token-2")
        while recorder.events.filter({ $0.name == "refresh.stored" }).count < 2 { await Task.yield() }
        #expect(slow.calls == calls)
    }

    /// An observer that stays in its first call until it may go on.
    private final class SlowObserver: IdentityObserver {
        private let count = Locked(0)
        private let inCall = Locked(false)
        private let gate = DispatchSemaphore(value: 0)

        var calls: Int { count.withLock { $0 } }
        var isInCall: Bool { inCall.withLock { $0 } }

        func observe(_ event: ObservedEvent) {
            inCall.withLock { $0 = true }
            count.withLock { $0 += 1 }
            gate.wait()
            inCall.withLock { $0 = false }
        }

        func goOn() { for _ in 0..<1000 { gate.signal() } }
    }
}
