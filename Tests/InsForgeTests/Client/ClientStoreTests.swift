import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import InsForge
import TestSupport
import Testing

/// A client whose store cannot be read or written for a moment.
@Suite(.endsInTime) struct ClientStoreTests {
    private let kim = LocalInsForgeServer.User(email: "kim@example.org", password: "kims password", name: "Kim")
    private let store = FaultyTokenStore()

    /// A client that knows that the server's first user is signed in.
    private func clientWithSession(_ fixture: InsForgeFixture) async throws -> InsForgeClient {
        let user = fixture.server.user
        try await fixture.client(store: store.wrapped).auth.signIn(email: user.email, password: user.password)
        let client = fixture.client()
        var events = client.auth.authEvents.makeAsyncIterator()
        _ = await events.next()
        return client
    }

    @Test(
        "A sign-in that cannot find or end the former session fails, and the former user stays",
        arguments: [false, true])
    func formerSession(isFound: Bool) async throws {
        try await InsForgeFixture.run(store: store, { $0.additionalUsers = [kim] }) { fixture in
            let client = try await clientWithSession(fixture)
            let error = TokenStoreError.busy(path: "x")
            if isFound {
                // The first write is that of the new session.
                store.fail(.write, in: .accounts, with: error, times: 1, after: 1)
            } else {
                store.fail(.read, in: .currentAccounts, with: error, times: 1)
                store.fail(.list, in: .accounts, with: error)
            }
            await #expect(throws: InsForgeAuthError.storeFailed(error)) {
                try await client.auth.signIn(email: kim.email, password: kim.password)
            }
            store.heal()
            #expect(try await client.auth.getCurrentUser()?.id == fixture.server.user.id)
            let new = AccountID(account: kim.id, realm: "insforge")
            #expect(try await store.record(for: .account(new))?.content == nil)
        }
    }

    @Test("A session that cannot be read at the start is told of once it can be")
    func lockedAtStart() async throws {
        try await InsForgeFixture.run(store: store) { fixture in
            let user = fixture.server.user
            try await fixture.client(store: store.wrapped).auth.signIn(email: user.email, password: user.password)
            let locked = TokenStoreError.locked(detail: "x")
            for operation in [FaultyTokenStore.Operation.read, .list] { store.fail(operation, with: locked) }
            let sleepers = fixture.clock.sleeperCount
            let client = fixture.client { $0.time = fixture.clock.timeSource }
            var events = client.auth.authEvents.makeAsyncIterator()
            while fixture.clock.sleeperCount == sleepers { await Task.yield() }
            #expect(client.auth.getSession() == nil)
            store.heal()
            fixture.clock.advance(by: .seconds(1))
            guard case .signedIn(let found)? = await events.next() else {
                Issue.record("the user is told of first")
                return
            }
            #expect(found.id == user.id)
        }
    }

    @Test("A change that the server has made is no failure because it cannot be stored here")
    func unstoredProfile() async throws {
        try await InsForgeFixture.run(store: store) { fixture in
            let client = try await fixture.signedInClient()
            store.fail(.lease, with: TokenStoreError.busy(path: "x"))
            #expect(try await client.auth.setProfile(["name": "New"]).name == "New")
            #expect(try await client.auth.getCurrentUser()?.name == "New")
            store.heal()
            #expect(try await client.auth.getCurrentUser()?.name == "New")
            #expect(try await fixture.client(store: store.wrapped).auth.getCurrentUser()?.name == "New")
        }
    }

    @Test("A store that could not be opened at the start is opened when it is needed")
    func openedLater() async throws {
        try await InsForgeFixture.run { fixture in
            let user = try await fixture.signedInClient().auth.getSession()?.user
            let client = fixture.client { $0.auth.storage = LateStorage(store: fixture.store) }
            #expect(client.auth.getSession()?.user == user && user != nil)
            var events = client.auth.authEvents.makeAsyncIterator()
            #expect(await events.next() == user.map { .signedIn($0) })
        }
    }
}

/// A storage that has no space left when it is opened first.
private struct LateStorage: AuthStorage {
    let store: any TokenStore
    private let isFull = Locked(true)

    init(store: any TokenStore) { self.store = store }

    func openStore() throws -> any TokenStore {
        let isFirst = isFull.withLock { isFull in
            defer { isFull = false }
            return isFull
        }
        if isFirst { throw TokenStoreError.full(path: "x") }
        return store
    }
}
