import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// The view model of an app, without an app.
@MainActor @Suite(.endsInTime) struct IdentitySessionTests {
    private let ada = AccountID(account: "ada", realm: "work")

    private func client(_ provider: ScriptedProvider) -> IdentityClient {
        IdentityClient(provider: provider, environment: IdentityEnvironment(store: MemoryTokenStore()))
    }

    @Test("Nothing is known until somebody looks")
    func looks() async {
        let provider = ScriptedProvider("work")
        let session = IdentityState(client(provider))
        #expect(session.state == .unknown)
        await session.refresh()
        #expect(session.state == .signedOut)
        provider.setSilent(.account("ada"))
        await session.refresh()
        #expect(session.state == .signedIn(ada))
        #expect(session.state.account == ada)
        #expect(!session.isBusy)
        #expect(session.problem == nil)
    }

    @Test("A sign-in and a sign-out change the state")
    func signInAndOut() async {
        let session = IdentityState(client(ScriptedProvider("work", interactive: .account("ada"))))
        await session.signIn()
        #expect(session.state == .signedIn(ada))
        await session.signOut()
        #expect(session.state == .signedOut)
    }

    @Test("The signed-in account has its name as soon as it is signed in, and nobody has it after a sign-out")
    func profile() async throws {
        let store = MemoryTokenStore()
        let profile = AccountProfile(displayName: "Ada", email: "ada@example.com")
        let kept = StoredAccountProvider(realm: "work", backend: "https://id.example.com", store: store)
        let credential = Credential(
            accessToken: "a", issuedAt: Date(timeIntervalSince1970: 0), expiresAt: nil,
            signedInAt: Date(timeIntervalSince1970: 0), backend: "https://id.example.com", profile: profile)
        try await kept.sessions.begin(credential, for: ada)
        let provider = ScriptedProvider("work", interactive: .account("ada"))
        let session = IdentityState(
            IdentityClient(provider: provider, environment: IdentityEnvironment(store: store)))
        await session.signIn()
        #expect(session.state == .signedIn(ada) && session.profile == profile)
        await session.signOut()
        #expect(session.profile == nil)
    }

    @Test("A sign-out ends the session of the account that is shown, though another one is active by now")
    func signsOutWhoIsShown() async throws {
        let store = UnheardStore(wrapped: MemoryTokenStore())
        let kept = StoredAccountProvider(realm: "work", backend: "https://id.example.com", store: store)
        let session = IdentityState(
            IdentityClient(provider: kept, environment: IdentityEnvironment(store: store)))
        let bob = AccountID(account: "bob", realm: "work")
        for (seconds, account) in [ada, bob].enumerated() {
            let date = Date(timeIntervalSince1970: TimeInterval(seconds))
            let credential = Credential(
                accessToken: "a", issuedAt: date, expiresAt: nil, signedInAt: date, backend: "https://id.example.com")
            try await kept.sessions.begin(credential, for: account)
            if account == ada { await session.refresh() }
        }
        #expect(session.state == .signedIn(ada))
        #expect(try await kept.sessions.lookUp().account == bob)
        await session.signOut()
        #expect(session.problem == nil)
        #expect(try await kept.sessions.storedCredential(of: ada) == nil)
        #expect(try await kept.sessions.storedCredential(of: bob) != nil)
    }

    @Test("A failure is told in words, changes nothing, and is forgotten with the next action")
    func failure() async {
        let provider = ScriptedProvider("work", silent: .failure(TestError()), interactive: .account("ada"))
        let session = IdentityState(client(provider))
        await session.refresh()
        #expect(session.state == .unknown)
        #expect(session.problem == "It was meant to fail.")
        provider.setSilent(.absent(.neverSignedIn))
        await session.signIn()
        #expect(session.problem == nil)
    }

    @Test("Giving up is not a failure")
    func givesUp() async {
        let provider = ScriptedProvider("work", interactive: .hang)
        let session = IdentityState(client(provider))
        await session.refresh()
        let signIn = Task { await session.signIn() }
        while !session.isBusy { await Task.yield() }
        session.cancel()
        await signIn.value
        #expect(session.state == .signedOut)
        #expect(session.problem == nil)
        #expect(!session.isBusy)
    }

    @Test("A view that goes away gives up what it began")
    func viewGoesAway() async {
        let session = IdentityState(client(ScriptedProvider("work", interactive: .hang)))
        let view = Task { await session.signIn() }
        while !session.isBusy { await Task.yield() }
        view.cancel()
        await view.value
        #expect(session.state == .unknown && session.problem == nil && !session.isBusy)
    }

    @Test("A failed action is over, and the next one is done")
    func failureIsOver() async {
        let provider = ScriptedProvider("work", silent: .failure(TestError()), interactive: .account("ada"))
        let session = IdentityState(client(provider))
        await session.refresh()
        #expect(!session.isBusy)
        provider.setSilent(.account("ada"))
        await session.refresh()
        #expect(session.state == .signedIn(ada) && session.problem == nil)
    }

    @Test("A state that stays is told once")
    func toldOnce() async {
        let provider = ScriptedProvider("work", silent: .account("ada"))
        let session = IdentityState(client(provider))
        var states = session.states().makeAsyncIterator()
        #expect(await states.next() == .unknown)
        await session.refresh()
        await session.refresh()
        await session.signOut()
        #expect(await states.next() == .signedIn(ada))
        #expect(await states.next() == .signedOut)
    }

    @Test("A second tap does nothing more")
    func oneActionAtATime() async {
        let provider = ScriptedProvider("work", interactive: .account("ada"))
        let session = IdentityState(client(provider))
        // The main actor takes them in this order, and the second comes before the first has gone on.
        let taps = [Task { await session.signIn() }, Task { await session.signIn() }]
        for tap in taps { await tap.value }
        #expect(provider.count(of: "signIn") == 1)
        #expect(session.state == .signedIn(ada))
    }

    @Test("A session follows what its client is told elsewhere, and tells it on")
    func follows() async throws {
        let client = client(ScriptedProvider("work", interactive: .account("ada")))
        let session = IdentityState(client)
        var states = session.states().makeAsyncIterator()
        #expect(await states.next() == .unknown)
        try await client.signIn()
        #expect(await states.next() == .signedIn(ada))
        try await client.signOut(as: ada)
        #expect(await states.next() == .signedOut)
    }

    @Test("A session that nobody holds is let go of")
    func isLetGo() async {
        let client = client(ScriptedProvider("work"))
        weak var weakSession: IdentityState?
        do {
            let session = IdentityState(client)
            await session.refresh()
            weakSession = session
        }
        while weakSession != nil { await Task.yield() }
    }
}

/// A store that reports no changes, as one on another machine.
private struct UnheardStore: TokenStoreWrapper {
    let wrapped: any TokenStore

    func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange> { AsyncStream { $0.finish() } }
}
