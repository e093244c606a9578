import Foundation
import IdentityKit
import IdentityTesting
import Testing

/// The answers of a fake identity to an SDK, which has a provider, and to an app, which has a client.
@Suite struct FakeIdentityTests {
    private static let ada = AccountID(account: "ada", realm: "work")

    private static func client(_ identity: FakeIdentity) -> IdentityClient {
        IdentityClient(provider: identity, environment: IdentityEnvironment(store: MemoryTokenStore()))
    }

    @Test("Who is signed in has the token, until a resource refuses it or the account signs out")
    func signedIn() async throws {
        let identity = FakeIdentity(.signedIn(as: "ada", token: "one"), realm: "work")
        #expect(try await identity.token(scopes: ["mail"]) == "one")
        for freshness in [TokenFreshness.other(than: "one"), .new] {
            await #expect(throws: SessionError.cannotRefresh(Self.ada)) {
                try await identity.accessToken(for: Self.ada, scopes: [], resource: nil, freshness: freshness)
            }
        }
        for freshness in [TokenFreshness.other(than: "zero"), .lasting(.seconds(60)), .any] {
            let token = try await identity.accessToken(
                for: Self.ada, scopes: [], resource: nil, freshness: freshness)
            #expect(token == "one")
        }
        let client = Self.client(identity)
        #expect(try await client.signIn() == Self.ada)
        #expect(try await client.accessToken() == "one")
        try await client.signOut()
        #expect(try await identity.token() == nil)
    }

    @Test("Nobody is signed in, and nothing can be shown")
    func signedOut() async throws {
        let identity = FakeIdentity(.signedOut)
        #expect(try await identity.token() == nil)
        let client = Self.client(identity)
        #expect(try await client.account() == nil)
        await #expect(throws: ClientError.self) { try await client.signIn() }
    }

    @Test("A session that has ended, and one that needs its person, throw what real ones throw")
    func ended() async throws {
        let expired = FakeIdentity(.expired("ada"), realm: "work")
        let end = SessionError.ended(Self.ada, reason: "The session has expired.")
        await #expect(throws: end) { try await expired.token() }
        #expect(try await Self.client(expired).account() == nil)
        await #expect(throws: end) { try await Self.client(expired).accessToken() }

        let suspended = FakeIdentity(.suspended("ada"), realm: "work")
        let suspension = await #expect(throws: SessionError.self) { try await suspended.token() }
        #expect(suspension?.failureCode == "session_suspended")
        let lookup = try await Self.client(suspended).lookUp()
        #expect(lookup.account == Self.ada && lookup.suspension != nil)
    }

    @Test("A chain goes on where nobody is signed in, and stops where a provider fails")
    func inAChain() async throws {
        let (first, second) = (FakeIdentity(.signedOut, realm: "first"), FakeIdentity(.signedIn(as: "ada")))
        let chain = try IdentityProviderChain([.init("first", first), .init("second", second)])
        #expect(try await chain.token() == "a token")
        let locked = TokenStoreError.locked(detail: "the phone is locked")
        first.answer = .failing(locked)
        await #expect(throws: locked) { try await first.token() }
        let fresh = try IdentityProviderChain([.init("first", first), .init("second", second)])
        await #expect(throws: ChainError.self) { try await fresh.token() }
    }

    @Test("A slow identity answers when its clock says so")
    func slow() async throws {
        let clock = ManualClock()
        let identity = FakeIdentity(.signedIn(as: "ada"), takes: .seconds(60), time: clock.timeSource)
        let lookup = Task { try await identity.activeAccount(scopes: [], deviceToken: "") }
        while clock.sleeperCount == 0 { await Task.yield() }
        identity.answer = .signedOut
        clock.advance(by: .seconds(60))
        #expect(try await lookup.value == nil)
    }
}
