import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// What an app is told when the session of the active account ends, with sessions that are refreshed and revoked.
@Suite struct ClientSessionEndTests {
    /// A provider whose sessions a test begins and ends.
    private final class StubProvider: SessionBackedProvider {
        let sessions: ProviderSessions
        let prompts = Locked(0)
        private let signsIn: (@Sendable () async throws -> AccountID)?

        init(_ sessions: ProviderSessions, signsIn: (@Sendable () async throws -> AccountID)? = nil) {
            self.sessions = sessions
            self.signsIn = signsIn
        }

        func signIn(in context: CallerContext) async throws -> AccountID? {
            prompts.withLock { $0 += 1 }
            return try await signsIn?()
        }

        func requestAuthorization(
            for accountID: AccountID, scopes: Set<String>, deviceToken: String
        ) async throws -> Data? {
            _ = try await sessions.credential(for: accountID, scopes: scopes)
            return nil
        }

        func signOut(_ accountID: AccountID) async throws { try await sessions.end(accountID) }
    }

    private let fixture = SessionsFixture()
    private let other = ScriptedProvider("home", silent: .account("bob"))
    private static let reason = "The refresh token was revoked."
    private static let end = SessionError.ended(.ada("work"), reason: reason)

    /// What a process has: a client of two providers, of which the second one always has an account.
    private func client(
        onSessionEnd: SessionEndPolicy = .ask, signsIn: (@Sendable () async throws -> AccountID)? = nil
    ) throws -> IdentityClient {
        let provider = StubProvider(fixture.sessions(), signsIn: signsIn)
        let chain = try IdentityProviderChain(
            [.init("work", provider), .init("home", other)],
            store: fixture.store, onSessionEnd: onSessionEnd, time: fixture.clock.timeSource)
        return client(chain)
    }

    private func client(_ provider: any SessionProvider) -> IdentityClient {
        IdentityClient(
            provider: provider,
            environment: IdentityEnvironment(store: fixture.store, time: fixture.clock.dates, variables: [:]))
    }

    /// A signed-in account whose session its backend revokes.
    private func revokedSession(of client: IdentityClient) async throws {
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        #expect(try await client.account() == fixture.account)
        fixture.backend.revoke()
        fixture.clock.advance(by: .seconds(3600))
    }

    @Test("Every call says that the session has ended, in this process and the next, and never acts for another person")
    func everyCall() async throws {
        let client = try client()
        try await revokedSession(of: client)
        for client in [client, client, try self.client(), client] {
            await #expect(throws: Self.end) { try await client.accessToken() }
            #expect(try await client.account() == nil)
            guard case .absent(.activeSessionEnded(fixture.account, Self.reason)) = try await client.lookUp() else {
                Issue.record("the look says whose session has ended")
                return
            }
            await #expect(throws: Self.end) { try await client.requestAuthorization(scopes: []) }
        }
        #expect(other.calls == [])
        #expect(fixture.backend.requests.count == 1)
    }

    @Test(
        "A session that the client knows to be over is as ended as one that its backend revoked",
        arguments: [(nil, nil), ("refresh-0", 1800), (nil, 1800)] as [(Secret?, TimeInterval?)])
    func knownEnd(refreshToken: Secret?, lifetime: TimeInterval?) async throws {
        let client = try client()
        var credential = fixture.credential(refreshToken: refreshToken)
        credential.sessionEndsAt = lifetime.map { fixture.clock.now + $0 }
        try await fixture.sessions().begin(credential, for: fixture.account)
        #expect(try await client.account() == fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        // What it was told before, a call may learn by itself.
        await #expect(throws: SessionError.self) { try await client.accessToken() }
        for client in [client, try self.client(), client] {
            let error = await #expect(throws: SessionError.self) { try await client.accessToken() }
            #expect(error?.failureCode == "session_ended")
            #expect(error?.message.components(separatedBy: "Sign in again").count == 2)
            #expect(try await client.account() == nil)
        }
        #expect(other.calls == [] && fixture.backend.requests.isEmpty)
        try await client.signOut()
        #expect(try await client.accessToken() == "token of home/bob")
    }

    @Test("Listeners learn whose session has ended, from a look or from a call, and of the next sign-in")
    func events() async throws {
        let client = try client(signsIn: { [fixture] in
            try await fixture.sessions().begin(fixture.credential("new"), for: fixture.account)
            return fixture.account
        })
        try await revokedSession(of: client)
        var events = client.events().makeAsyncIterator()
        #expect(await events.next() == .signedIn(fixture.account))
        await #expect(throws: Self.end) { try await client.accessToken() }
        #expect(await events.next() == .sessionEnded(fixture.account, reason: Self.reason))
        _ = try await client.lookUp()
        #expect(try await client.signIn() == fixture.account)
        #expect(await events.next() == .signedIn(fixture.account))
        #expect(try await client.accessToken() == "new")
        #expect(other.calls == [])
    }

    @Test("A sign-in where none can be shown is the end of the session again")
    func cannotSignIn() async throws {
        let client = try client()
        try await revokedSession(of: client)
        await #expect(throws: Self.end) { try await client.accessToken() }
        await #expect(throws: Self.end) { try await client.signIn() }
        #expect(other.calls == ["signIn"])
    }

    @Test("Signing out of the ended account goes on to the others, and so does selecting one of them")
    func decisions() async throws {
        let first = try client()
        try await revokedSession(of: first)
        await #expect(throws: Self.end) { try await first.accessToken() }
        try await first.select(AccountID(account: "bob", realm: "home"))
        #expect(try await first.accessToken() == "token of home/bob")
        await #expect(throws: Self.end) { try await first.select(fixture.account) }

        let second = client(
            try IdentityProviderChain(
                [
                    .init("work", StubProvider(fixture.sessions())), .init("home", other),
                ], store: fixture.store, profile: "second"))
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        #expect(try await second.account() == fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        await #expect(throws: Self.end) { try await second.accessToken() }
        try await second.signOut()
        #expect(try await second.summary(of: fixture.account) == nil)
        #expect(try await second.accessToken() == "token of home/bob")
    }

    @Test("A client that may fall back says so in its lookups and events")
    func fallsBack() async throws {
        let client = try client(onSessionEnd: .fallBack)
        try await revokedSession(of: client)
        var events = client.events().makeAsyncIterator()
        await #expect(throws: Self.end) { try await client.accessToken() }
        #expect(try await client.accessToken() == "token of home/bob")
        let fallback = SessionFallback(from: fixture.account, reason: Self.reason)
        let bob = AccountID(account: "bob", realm: "home")
        for client in [client, try self.client()] {
            let lookup = try await client.lookUp()
            #expect(lookup.account == bob && lookup.fallback == fallback)
            #expect(try await client.signIn() == bob)
        }
        var told: [IdentityEvent] = []
        for _ in 0..<3 { if let event = await events.next() { told.append(event) } }
        #expect(
            told == [
                .signedIn(fixture.account), .sessionEnded(fixture.account, reason: Self.reason),
                .fellBack(bob, fallback),
            ])
    }

    @Test("A client of one provider does not pass to that provider's other account")
    func oneProvider() async throws {
        let provider = StubProvider(
            fixture.sessions(),
            signsIn: { [fixture] in
                try await fixture.sessions().begin(fixture.credential("new"), for: fixture.account)
                return fixture.account
            })
        let client = client(provider)
        let bob = AccountID(account: "bob", realm: "work")
        try await fixture.sessions().begin(fixture.credential(refreshToken: nil, lifetime: nil), for: bob)
        fixture.clock.advance(by: .seconds(1))
        try await revokedSession(of: client)
        await #expect(throws: Self.end) { try await client.accessToken() }
        #expect(try await client.account() == nil)
        await #expect(throws: Self.end) { try await client.accessToken() }
        #expect(try await client.signIn() == fixture.account)
        #expect(provider.prompts.withLock { $0 } == 1)
        try await client.signOut()
        #expect(try await client.account() == bob)
    }

    @Test("A view model shows nobody, and says in words whose session has ended")
    @MainActor func session() async throws {
        let client = try client()
        try await revokedSession(of: client)
        let session = IdentityState(client)
        await session.refresh()
        #expect(session.state == .signedIn(fixture.account) && session.problem == nil)
        await #expect(throws: Self.end) { try await client.accessToken() }
        await session.refresh()
        #expect(session.state == .signedOut && session.problem == Self.end.message && session.fallback == nil)

        let falling = IdentityState(try self.client(onSessionEnd: .fallBack))
        await falling.refresh()
        #expect(falling.state == .signedIn(AccountID(account: "bob", realm: "home")))
        #expect(falling.fallback?.from == fixture.account)
    }

    // MARK: Suspended

    /// A signed-in account whose server wants its person.
    private func suspendedSession(of client: IdentityClient) async throws {
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        #expect(try await client.account() == fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        fixture.backend.script(.askForPerson("login_required"))
        let error = await #expect(throws: SessionError.self) { try await client.accessToken() }
        #expect(error?.failureCode == "session_suspended" && error?.asksForSignIn == true)
    }

    @Test("A suspended account stays the active one, no other provider is asked, and listeners hear of it once")
    func suspended() async throws {
        let account = fixture.account
        let client = try client(signsIn: { [fixture] in
            try await fixture.sessions().begin(fixture.credential("fresh"), for: fixture.account)
            return fixture.account
        })
        let events = client.events()
        try await suspendedSession(of: client)
        for _ in 0..<2 { #expect(try await client.lookUp().suspension != nil) }
        #expect(try await client.account() == account)
        #expect(other.calls == [])
        #expect(try await client.signIn() == account)
        #expect(try await client.accessToken() == "fresh")
        var heard: [IdentityEvent] = []
        for await event in events {
            heard.append(event)
            if heard.count > 2, case .signedIn = event { break }
        }
        guard case .suspended(account, _) = heard[heard.count - 2], heard.last == .signedIn(account) else {
            Issue.record("\(heard)")
            return
        }
    }

    @Test("A client whose first call finds the session suspended falls back with the next call")
    func firstCallSuspended() async throws {
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        let client = try client(onSessionEnd: .fallBack)
        fixture.clock.advance(by: .seconds(3600))
        fixture.backend.script(.askForPerson("login_required"))
        await #expect(throws: SessionError.self) { try await client.accessToken() }
        #expect(try await client.accessToken() == "token of home/bob")
    }

    @Test("A client that may fall back acts for the next account until the server takes the refresh token again")
    func suspendedFallsBack() async throws {
        let account = fixture.account
        let client = try client(onSessionEnd: .fallBack)
        let events = client.events()
        try await suspendedSession(of: client)
        for client in [client, try self.client(onSessionEnd: .fallBack)] {
            for _ in 0..<2 { #expect(try await client.accessToken() == "token of home/bob") }
            #expect(try await client.lookUp().fallback?.cause == .suspended)
        }
        #expect(fixture.backend.requests.count == 1)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await client.accessToken() == "token-1")
        #expect(try await client.lookUp().account == account)
        var heard: [IdentityEvent] = []
        for await event in events {
            heard.append(event)
            if heard.count > 3, case .signedIn = event { break }
        }
        guard case .suspended(account, _) = heard[heard.count - 3], case .fellBack = heard[heard.count - 2],
            heard.last == .signedIn(account)
        else {
            Issue.record("\(heard)")
            return
        }
    }

    @Test("Where no sign-in can be shown, a suspended account stays")
    func suspendedWithoutSignIn() async throws {
        let client = try client()
        try await suspendedSession(of: client)
        #expect(try await client.signIn() == fixture.account)
        #expect(try await client.lookUp().suspension != nil)
    }

    @Test("A view model says that a sign-in is needed, and shows the account as signed in") @MainActor
    func suspendedState() async throws {
        let client = try client()
        try await suspendedSession(of: client)
        let state = IdentityState(client)
        await state.refresh()
        #expect(state.state == .signedIn(fixture.account) && state.needsSignIn)
    }
}
