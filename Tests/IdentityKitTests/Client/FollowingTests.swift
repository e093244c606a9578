import Foundation
import IdentityKit
import TestSupport
import Testing

/// What one client does, the others on the same store tell.
@Suite(.endsInTime) struct FollowingTests {
    private let fixture = SessionsFixture()
    private let bob = AccountID(account: "bob", realm: "work")

    private func client(requiresAccount: Bool = false, time: TimeSource? = nil) throws -> IdentityClient {
        let provider = StoredAccountProvider(
            realm: "work", backend: "https://id.example.com", store: fixture.store, time: fixture.clock.dates)
        let chain = try IdentityProviderChain([.init("work", provider)], store: fixture.store)
        return IdentityClient(
            provider: chain, environment: IdentityEnvironment(store: fixture.store, time: time ?? fixture.clock.dates),
            requiresAccount: requiresAccount)
    }

    @Test("A listener hears of sign-ins and sign-outs of another client, and the next call acts for the same account")
    func elsewhere() async throws {
        let (client, other) = (try client(), try client())
        var events = client.events().makeAsyncIterator()
        try await fixture.sessions().begin(fixture.credential("ada"), for: fixture.account)
        #expect(await events.next() == .signedIn(fixture.account))
        try await fixture.sessions().begin(fixture.credential("bob"), for: bob)
        try await other.select(bob)
        #expect(await events.next() == .signedIn(bob))
        #expect(try await client.accessToken() == "bob")
        try await fixture.sessions().end(fixture.account)
        try await other.signOut(as: bob)
        #expect(await events.next() == .signedOut)
        await #expect(throws: ClientError.self) { try await client.accessToken() }
    }

    @Test("A listener for one account hears of its sessions alone, whoever is active")
    func oneAccount() async throws {
        let (client, other) = (try client(), try client())
        var events = client.events(as: fixture.account).makeAsyncIterator()
        #expect(await events.next() == .signedOut)
        try await fixture.sessions().begin(fixture.credential("ada"), for: fixture.account)
        #expect(await events.next() == .signedIn(fixture.account))
        // Another person signs in, and is chosen: that is nothing about this account.
        try await fixture.sessions().begin(fixture.credential("bob"), for: bob)
        try await other.select(bob)
        try await other.signOut(as: bob)
        fixture.clock.advance(by: .seconds(3600))
        fixture.backend.script(.askForPerson("login_required"))
        #expect(await fixture.failureCode(fixture.sessions()) == "session_suspended")
        let suspension = try #require(try await fixture.sessions().lookUp(fixture.account).suspension)
        #expect(await events.next() == .suspended(fixture.account, suspension))
        try await fixture.sessions().end(fixture.account)
        #expect(await events.next() == .signedOut)
        // A client that requires accounts has these events too.
        let server = try self.client(requiresAccount: true)
        var served = server.events(as: bob).makeAsyncIterator()
        #expect(await served.next() == .signedOut)
        try await fixture.sessions().begin(fixture.credential("bob"), for: bob)
        #expect(await served.next() == .signedIn(bob))
    }

    @Test("A listener for one account hears of a change that could not be read at first")
    func readAgain() async throws {
        let client = try client(time: fixture.clock.timeSource)
        var events = client.events(as: fixture.account).makeAsyncIterator()
        #expect(await events.next() == .signedOut)
        fixture.store.fail(.read, in: .accounts, with: TokenStoreError.locked(detail: "d"))
        try await fixture.sessions(store: fixture.store.wrapped).begin(fixture.credential("ada"), for: fixture.account)
        while fixture.clock.sleeperCount == 0 { await Task.yield() }
        fixture.store.heal()
        fixture.clock.advance(by: .seconds(1))
        #expect(await events.next() == .signedIn(fixture.account))
    }

    @Test("A call that finds nobody tells it, though nobody has listened")
    func foundByCall() async throws {
        let client = try client()
        try await fixture.sessions().begin(fixture.credential("ada"), for: fixture.account)
        #expect(try await client.account() == fixture.account)
        try await fixture.sessions().end(fixture.account)
        await #expect(throws: (any Error).self) { try await client.accessToken() }
        var events = client.events().makeAsyncIterator()
        #expect(await events.next() == .signedOut)
    }

    @Test(
        "Listeners that disagree about the chosen account do not undo each other's choice",
        arguments: ["does not know the provider", "has another account", "has no account"])
    func disagreement(one: String) async throws {
        let temporary = try FileStoreFixture()
        let fixture = ChainFixture([], store: try temporary.open())
        let work = ScriptedProvider("work", silent: .account("ada"))
        let home = ScriptedProvider("home", silent: .account("ada"))
        let others =
            switch one {
            case "does not know the provider": [home]
            case "has another account": [ScriptedProvider("work", silent: .account("bob"))]
            default: [ScriptedProvider("work"), home]
            }
        let clients = try [[work], others].map { providers in
            IdentityClient(
                provider: try fixture.chain(providers.map { .init($0.name, $0) }),
                environment: IdentityEnvironment(store: fixture.store, time: fixture.clock.dates, variables: [:]))
        }
        var (here, there) = (clients[0].events().makeAsyncIterator(), clients[1].events().makeAsyncIterator())
        let last = try #require(others.last)
        for _ in 0..<5 {
            let asked = (work.calls.count, last.calls.count)
            try await fixture.choose(.ada("work"))
            while work.calls.count == asked.0 || last.calls.count == asked.1 { await Task.yield() }
        }
        #expect(try await fixture.store.record(for: .currentAccount(ofProfile: "default"))?.generation == 5)
        #expect(await here.next() == .signedIn(.ada("work")))
        #expect(await there.next() == .signedIn(last.name == "work" ? bob : .ada("home")))
    }

    @Test(
        "A choice that somebody else makes during a look-up holds for that look-up, and for the calls during and after it",
        arguments: [true, false], [true, false])
    func chosenMeanwhile(isOfSameChain: Bool, callsDuringLookUp: Bool) async throws {
        let fixture = ChainFixture([.account("ada"), .account("ada")])
        let (store, gate) = (HeldTokenStore(fixture.store), Gate())
        try await fixture.choose(.ada("first"))
        let chain = try fixture.chain()
        let client = IdentityClient(
            provider: chain, environment: IdentityEnvironment(store: store, time: fixture.clock.dates))
        fixture.providers[0].gate.withLock { $0 = gate }
        let lookUp = Task { try await client.account() }
        while fixture.providers[0].calls.isEmpty { await Task.yield() }
        try await store.whenHeard {
            if isOfSameChain {
                try await chain.select(.ada("second"), scopes: [], deviceToken: "device")
            } else {
                try await fixture.choose(.ada("second"))
            }
        }
        if callsDuringLookUp { #expect(try await client.accessToken() == "token of second/ada") }
        await gate.open()
        #expect(try await lookUp.value == .ada("second"))
        #expect(try await client.accessToken() == "token of second/ada")
    }

    @Test("A view model shows that a session needs its person, and that it does no more, whoever found out") @MainActor
    func suspension() async throws {
        let elsewhere = fixture.sessions()
        try await elsewhere.begin(fixture.credential(), for: fixture.account)
        let view = IdentityState(try client())
        await view.refresh()
        var events = view.client.events().makeAsyncIterator()
        #expect(await events.next() == .signedIn(fixture.account))
        fixture.clock.advance(by: .seconds(3600))
        fixture.backend.script(.askForPerson("login_required"))
        #expect(await fixture.failureCode(elsewhere) == "session_suspended")
        let suspension = try #require(try await elsewhere.lookUp().suspension)
        #expect(await events.next() == .suspended(fixture.account, suspension))
        while !view.needsSignIn { await Task.yield() }
        #expect(view.state == .signedIn(fixture.account))
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.token(elsewhere) == "token-1")
        #expect(await events.next() == .signedIn(fixture.account))
        while view.needsSignIn { await Task.yield() }
        #expect(view.state == .signedIn(fixture.account))
    }

    @Test("A refresh keeps the number of a session, and a sign-in of the same person gives another") @MainActor
    func number() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        let shown = try #require(try await sessions.storedCredential(of: fixture.account)?.session(of: fixture.account))
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await sessions.credential(of: shown).accessToken == "token-1")
        try await sessions.begin(fixture.credential("again", refreshToken: "refresh-9"), for: fixture.account)
        await #expect(throws: SessionChangedError(shown)) { try await sessions.credential(of: shown) }
    }

    @Test("An action that is asked for during another one is done after it, and the same one once") @MainActor
    func queue() async {
        let (queue, gate, done) = (ActionQueue<String>(), Gate(), Locked<[String]>([]))
        let first = Task {
            await queue.perform("sign out") {
                await gate.pass()
                done.withLock { $0.append("sign out") }
            }
        }
        while !queue.isBusy { await Task.yield() }
        let taps = (0..<2).map { _ in
            Task { await queue.perform("sign in") { done.withLock { $0.append("sign in") } } }
        }
        await gate.open()
        await first.value
        for tap in taps { await tap.value }
        #expect(done.withLock { $0.first } == "sign out" && done.withLock { $0.contains("sign in") })
        #expect(!queue.isBusy)
    }

    @Test("One place listens to a store for who signs in and out, and one for the session of one account")
    func onePlace() throws {
        // Stores that wrap another one pass its changes on, and `identity events` prints those of all collections.
        let places = try SourceFiles.places(of: #"changes\s*\(\s*in\s*:(?!\s*nil\s*\))"#)
            .filter { !$0.contains("TokenStore") }
        #expect(
            places == [
                "Sources/IdentityKit/Client/IdentityClient+Following.swift",
                "Sources/IdentityKit/Session/SessionRecords+CurrentAccount.swift",
            ])
    }
}
