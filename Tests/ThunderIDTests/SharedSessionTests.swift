import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing
import ThunderID

/// A session of the client is a session of the provider for the same server and client, and the other way round.
@Suite struct SharedSessionTests {
    @Test("Who signs in with the client is signed in with the provider; fifty calls of both refresh once")
    func clientFirst() async throws {
        let pair = try await Pair()
        try await pair.signInWithClient()
        #expect(try await pair.provider.silentAccount(scopes: [], deviceToken: "d").account == pair.account)
        pair.fixture.clock.advance(by: .seconds(3600))
        #expect(try await pair.tokens(50).count == 1)
        #expect(pair.server.counters.refreshes == 1 && pair.server.counters.replays == 0)
        try await pair.provider.signOut(pair.account)
        #expect(try await pair.client.isSignedIn() == false)
        #expect(pair.server.counters.familiesRevoked == 1)
        await pair.server.stop()
    }

    @Test("Who signs in with the provider is signed in with the client, which ends the session for both")
    func providerFirst() async throws {
        for name in ["thunderid", "work"] {
            let pair = try await Pair(named: name)
            try await pair.signInWithProvider()
            #expect(try await pair.client.getUser().sub == pair.server.user.id)
            pair.fixture.clock.advance(by: .seconds(3600))
            #expect(try await pair.tokens(2).count == 1 && pair.server.counters.refreshes == 1)
            try await pair.client.signOut()
            #expect(try await pair.provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
            #expect(pair.server.counters.familiesRevoked == 1)
            await pair.server.stop()
        }
    }

    @Test("One person's sign-ins with both are one session: the later one replaces the other and revokes it")
    func samePerson() async throws {
        let pair = try await Pair()
        try await pair.signInWithProvider()
        try await pair.signInWithClient()
        try await pair.signInWithProvider()
        #expect(try await pair.liveAccounts() == [pair.account.id])
        #expect(pair.server.counters.familiesRevoked == 2)
        #expect(try await pair.tokens(2).count == 1)
        await pair.server.stop()
    }

    @Test("The client's next person takes the place of the one before, for the provider too")
    func nextPerson() async throws {
        let pair = try await Pair()
        try await pair.signInWithClient()
        try await pair.signInWithClient(Pair.grace)
        let found = try await pair.provider.silentAccount(scopes: [], deviceToken: "d").account
        #expect(found?.account == Pair.grace.id)
        #expect(try await pair.liveAccounts().count == 1 && pair.server.counters.familiesRevoked == 1)
        await pair.server.stop()
    }

    @Test("A change for the person on screen changes nothing once another one has signed in elsewhere")
    func guarded() async throws {
        let pair = try await Pair()
        try await pair.signInWithClient()
        #expect(try await pair.client.getUser().sub == pair.server.user.id)
        pair.fixture.clock.advance(by: .seconds(3600))
        // A refresh begins no session.
        try await pair.client.updateUserProfile(payload: ["given_name": "Augusta"])
        try await pair.signInWithProvider(Pair.grace)
        let error = await iamError { try await pair.client.updateUserProfile(payload: ["given_name": "Mallory"]) }
        #expect(error == IAMError.sessionChanged)
        let shown = pair.client.sessionNumber
        #expect(try await pair.client.getUser().sub == Pair.grace.id)
        // A screen of the person before knows its own session.
        let late = await iamError {
            try await pair.client.updateUserProfile(payload: ["given_name": "Mallory"], of: shown)
        }
        #expect(late == IAMError.sessionChanged)
        try await pair.client.updateUserProfile(payload: ["given_name": "Grace B."])
        await pair.server.stop()
    }

    @Test("A change for a person who has signed out reaches nobody who signed in since, until the app has seen them")
    func afterSignOut() async throws {
        let pair = try await Pair()
        try await pair.signInWithClient()
        try await pair.client.signOut()
        try await pair.signInWithProvider(Pair.grace)
        let error = await iamError { try await pair.client.updateUserProfile(payload: ["given_name": "Ada"]) }
        #expect(error == IAMError.sessionChanged)
        #expect(try await pair.client.getUser().sub == Pair.grace.id)
        try await pair.client.updateUserProfile(payload: ["given_name": "Grace B."])
        await pair.server.stop()
    }

    @Test("Who looks during a sign-out of several people finds the current one, not the next in line")
    func halfWay() async throws {
        let store = HeldTokenStore()
        let pair = try await Pair(store: store)
        try await pair.signInWithProvider(Pair.grace)
        pair.fixture.clock.advance(by: .seconds(1))
        try await pair.signInWithProvider()
        store.holdErasure(of: AccountID(account: Pair.grace.id, realm: pair.account.realm))
        let signOut = Task { try await pair.client.signOut() }
        await store.erased()
        #expect(try await pair.client.getUser().sub == pair.server.user.id)
        store.goOn()
        _ = try await signOut.value
        #expect(try await pair.client.isSignedIn() == false)
        #expect(try await pair.liveAccounts().isEmpty)
        await pair.server.stop()
    }

    @Test("A sign-out that the store stops half-way revokes what it has ended, and may be repeated")
    func stoppedHalfWay() async throws {
        let store = FaultyTokenStore()
        let pair = try await Pair(store: store)
        try await pair.signInWithProvider(Pair.grace)
        pair.fixture.clock.advance(by: .seconds(1))
        try await pair.signInWithProvider()
        store.fail(.write, in: .accounts, with: TokenStoreError.locked(detail: "The device is locked."), after: 1)
        await #expect(throws: IAMError.self) { try await pair.client.signOut() }
        #expect(try await pair.liveAccounts() == [pair.account.id] && pair.server.counters.familiesRevoked == 1)
        store.heal()
        try await pair.client.signOut()
        #expect(try await pair.liveAccounts().isEmpty && pair.server.counters.familiesRevoked == 2)
        await pair.server.stop()
    }

    @Test("The identifier of a provider's account names its session; a name of the app's own stays the client's")
    func names() async throws {
        let pair = try await Pair()
        try await pair.signInWithProvider()
        pair.fixture.clock.advance(by: .seconds(1))
        try await pair.signInWithProvider(Pair.grace)
        #expect(try await pair.client.getUser().sub == Pair.grace.id)
        for id in [pair.server.user.id, Pair.grace.id] {
            #expect(try await pair.client.getUser(options: ["sessionId": id]).sub == id)
        }
        try await pair.client.signOut(sessionId: pair.server.user.id)
        #expect(try await pair.provider.sessions.lookUp(pair.account).account == nil)
        #expect(try await pair.client.getUser().sub == Pair.grace.id)
        try await pair.fixture.signIn(pair.client, sessionId: "mine")
        #expect(try await pair.provider.sessions.lookUp(pair.account).account == nil)
        try await pair.client.signOut()
        #expect(try await pair.client.isSignedIn() == false)
        #expect(try await pair.client.isSignedIn(sessionId: "mine"))
        await pair.server.stop()
    }

    @Test("A session of another client in the same place is neither used nor replaced")
    func otherClient() async throws {
        let pair = try await Pair()
        try await pair.signInWithProvider()
        let token = try await pair.provider.accessToken(for: pair.account, scopes: [])
        try await pair.client.reInitialize(clientId: "other")
        #expect(try await pair.client.isSignedIn() == false)
        try await pair.signInWithOtherClient()
        #expect(try await pair.client.isSignedIn())
        #expect(try await pair.client.getAccessToken() != token)
        #expect(try await pair.provider.accessToken(for: pair.account, scopes: []) == token)
        try await pair.client.signOut()
        #expect(try await pair.provider.accessToken(for: pair.account, scopes: []) == token)
        await pair.server.stop()
    }

    @Test("A store that fails for a moment does not let another client's session be replaced", arguments: 0..<6)
    func otherClientUnread(reads: Int) async throws {
        let store = FaultyTokenStore()
        let pair = try await Pair(store: store)
        try await pair.signInWithProvider()
        let token = try await pair.provider.accessToken(for: pair.account, scopes: [])
        let other = try await pair.otherClient()
        store.fail(.read, in: .accounts, with: TokenStoreError.busy(path: "x"), times: 1, after: reads)
        // The sign-in fails, or keeps its session apart.
        try? await pair.signInWithOtherClient(other)
        store.heal()
        let stored = try await pair.provider.sessions.storedCredential(of: pair.account)
        #expect(stored?.accessToken.reveal() == token)
        await pair.server.stop()
    }

    @Test("A session that another client has begun where the client's last one was stays")
    func otherClientLater() async throws {
        let pair = try await Pair()
        try await pair.signInWithClient()
        try await pair.client.signOut()
        let other = try await pair.otherClient()
        try await pair.signInWithOtherClient(other)
        #expect(try await pair.liveAccounts() == [pair.account.id])
        try await pair.client.signOut()
        #expect(try await other.isSignedIn())
        try await pair.signInWithClient()
        #expect(try await other.isSignedIn())
        #expect(try await pair.client.isSignedIn())
        try await pair.client.signOut()
        #expect(try await pair.liveAccounts() == [pair.account.id])
        #expect(pair.server.counters.familiesRevoked == 2)
        await pair.server.stop()
    }

    @Test("A session that is kept apart stays where it is when the place is free, until the next sign-in")
    func apart() async throws {
        let pair = try await Pair()
        try await pair.signInWithProvider()
        try await pair.client.reInitialize(clientId: "other")
        try await pair.signInWithOtherClient()
        let token = try await pair.client.getAccessToken()
        try await pair.provider.signOut(pair.account)
        #expect(try await pair.client.getAccessToken() == token)
        #expect(try await pair.liveAccounts() != [pair.account.id])
        try await pair.signInWithOtherClient()
        #expect(try await pair.client.getAccessToken() != token)
        #expect(try await pair.liveAccounts() == [pair.account.id])
        #expect(pair.server.counters.familiesRevoked == 2)
        await pair.server.stop()
    }

    @Test("A sign-in fails, and leaves no session, while the session of the person before cannot be ended")
    func formerStays() async throws {
        let store = FaultyTokenStore()
        let pair = try await Pair(store: store)
        try await pair.signInWithProvider()
        try await pair.client.reInitialize(clientId: "other")
        try await pair.signInWithOtherClient()
        try await pair.provider.signOut(pair.account)
        let before = try await pair.liveAccounts()
        store.fail(.write, in: .accounts, with: TokenStoreError.busy(path: "x"), times: 1, after: 1)
        _ = await iamError { try await pair.signInWithOtherClient(as: Pair.grace) }
        #expect(try await pair.liveAccounts() == before)
        #expect(try await pair.client.getUser().sub == pair.server.user.id)
        #expect(pair.server.counters.familiesRevoked == 2)
        try await pair.signInWithOtherClient(as: Pair.grace)
        #expect(try await pair.client.getUser().sub == Pair.grace.id)
        await pair.server.stop()
    }
}

/// A client and a provider for the same server and client on one store.
struct Pair: Sendable {
    static let grace = LocalThunderIDServer.User(
        id: "01900000-0000-7000-8000-0000000000b2", username: "grace", attributes: ["email": "grace@example.org"])

    let fixture: ClientFixture
    let store: any TokenStore
    let client: ThunderIDClient
    let provider: ThunderIDProvider

    var server: LocalThunderIDServer { fixture.server }
    var account: AccountID { AccountID(account: server.user.id, realm: provider.sessions.realm) }

    init(named name: String = "thunderid", store: any TokenStore = MemoryTokenStore()) async throws {
        self.store = store
        fixture = try await ClientFixture(
            configuration: .init(
                additionalApplications: [.init(id: "other-application", clientID: "other")],
                additionalUsers: [Self.grace]))
        client = ThunderIDClient(environment: Self.environment(fixture, store))
        try await client.initialize(config: fixture.config { $0.providerName = name })
        provider = try Self.provider(fixture, store, named: name)
    }

    private static func environment(
        _ fixture: ClientFixture, _ store: any TokenStore, user: LocalThunderIDServer.User? = nil
    ) -> IdentityEnvironment {
        let user = user ?? fixture.server.user
        return IdentityEnvironment(
            store: store, transport: fixture.wire,
            prompter: ScriptedPrompter(["username": Secret(user.username), "password": user.password]),
            time: fixture.clock.dates)
    }

    private static func provider(
        _ fixture: ClientFixture, _ store: any TokenStore, named name: String,
        user: LocalThunderIDServer.User? = nil
    ) throws -> ThunderIDProvider {
        try ThunderIDProvider(
            settings: ThunderIDSettings(
                baseURL: ServerURL(fixture.server.url.absoluteString, allowsLoopbackHTTP: true),
                clientID: fixture.server.application.clientID,
                redirectURI: fixture.server.application.redirectURIs.first.flatMap(URL.init(string:)),
                scopes: ["openid", "profile", "email"], allowsLoopbackHTTP: true),
            context: ProviderContext(name: name, environment: environment(fixture, store, user: user)))
    }

    func signInWithClient(_ user: LocalThunderIDServer.User? = nil) async throws {
        let user = user ?? server.user
        try await fixture.signIn(client, ["username": user.username, "password": user.password.reveal()])
    }

    /// A client of the same store that has the other client identifier.
    func otherClient() async throws -> ThunderIDClient {
        let other = ThunderIDClient(environment: Self.environment(fixture, store))
        try await other.initialize(config: fixture.config())
        try await other.reInitialize(clientId: "other")
        return other
    }

    /// Signs in with a client that has the other client identifier.
    func signInWithOtherClient(
        _ other: ThunderIDClient? = nil, as user: LocalThunderIDServer.User? = nil
    ) async throws {
        let (client, user) = (other ?? self.client, user ?? server.user)
        let first = try await client.signIn(payload: .init(), request: .init(applicationId: "other-application"))
        _ = try await client.signIn(
            payload: .init(
                flowId: first.flowId, actionId: first.actions.first?.id,
                inputs: ["username": user.username, "password": user.password.reveal()]),
            request: .init(applicationId: "other-application"))
    }

    func signInWithProvider(_ user: LocalThunderIDServer.User? = nil) async throws {
        let provider = try Self.provider(fixture, store, named: provider.sessions.realm, user: user)
        _ = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
    }

    /// The tokens that so many calls of both get at the same time.
    func tokens(_ count: Int) async throws -> Set<String> {
        try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<count {
                group.addTask {
                    index % 2 == 0
                        ? try await client.getAccessToken()
                        : try await provider.accessToken(for: account, scopes: [])
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
    }

    /// The accounts that have a session.
    func liveAccounts() async throws -> [String] {
        try await store.records(in: .accounts).records.filter { $0.content != nil }.map(\.key.name)
    }
}
