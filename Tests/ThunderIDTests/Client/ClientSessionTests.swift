import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import Testing
import ThunderID

@Suite struct ClientSessionTests {
    @Test("Fifty calls and two clients on one storage object refresh once")
    func onceForAll() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let clients = [fixture.client, try await fixture.restarted()]
        fixture.clock.advance(by: .seconds(3600))
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<50 { group.addTask { try await clients[index % 2].getAccessToken() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(fixture.server.counters.refreshes == 1 && fixture.server.counters.replays == 0)
        await fixture.server.stop()
    }

    @Test("Two clients on one framework store refresh once")
    func sharedStore() async throws {
        let fixture = try await ClientFixture()
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), transport: fixture.wire, time: fixture.clock.dates)
        let clients = [ThunderIDClient(environment: environment), ThunderIDClient(environment: environment)]
        for client in clients { try await client.initialize(config: fixture.config()) }
        try await fixture.signIn(clients[0])
        fixture.clock.advance(by: .seconds(3600))
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<20 { group.addTask { try await clients[index % 2].getAccessToken() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1 && fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test("The end of the session is known in advance, stays the same through refreshes, and is the end")
    func familyExpiry() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let end = try #require(try await fixture.client.sessionEnd())
        #expect(end == fixture.clock.now + 86_400)
        for _ in 0..<23 {
            fixture.clock.advance(by: .seconds(3600))
            _ = try await fixture.client.getAccessToken()
            #expect(try await fixture.client.sessionEnd() == end)
        }
        fixture.clock.advance(by: .seconds(3600 + 31))
        #expect(try await fixture.client.isSignedIn() == false)
        #expect(await iamError { try await fixture.client.getAccessToken() }?.code == .sessionExpired)
        #expect(try await fixture.client.sessionEnd() == nil)
        await fixture.server.stop()
    }

    @Test("A session the server revoked ends at the next refresh, and the app can sign out of it")
    func revoked() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        fixture.server.revokeFamilies(ofUser: fixture.server.user.id)
        fixture.clock.advance(by: .seconds(3600))
        for _ in 0..<2 {
            #expect(await iamError { try await fixture.client.getAccessToken() }?.code == .sessionExpired)
        }
        #expect(fixture.grants("refresh_token").count == 1)
        #expect(try await fixture.client.isSignedIn() == false)
        #expect(try await fixture.client.signOut() == fixture.server.application.postLogoutRedirectURIs.first)
        await fixture.server.stop()
    }

    @Test("Signing out revokes the session at the server, with a form, and gives the address to go to")
    func signOut() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        #expect(try await fixture.client.signOut() == fixture.server.application.postLogoutRedirectURIs.first)
        let call = try #require(fixture.wire.requests(to: "/oauth2/revoke").first)
        #expect(call.status == 200 && call.parameter("token_type_hint") == "refresh_token")
        #expect(fixture.server.counters.familiesRevoked == 1)
        #expect(try await fixture.client.isSignedIn() == false)
        let plain = try await fixture.restarted { $0.afterSignOutUrl = nil }
        #expect(try await plain.signOut() == "/")
        await fixture.server.stop()
    }

    @Test("A failed revocation keeps no session, and is an error where one is asked for")
    func signOutOffline() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        try await fixture.signIn(sessionId: "second")
        fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: "/oauth2/revoke", times: 2)
        var reports = fixture.refreshes.reports().makeAsyncIterator()
        try await fixture.client.signOut()
        #expect(try await fixture.client.isSignedIn() == false)
        let error = await iamError {
            try await fixture.client.signOut(options: .init(requiresRevocation: true), sessionId: "second")
        }
        // Every report comes before this one.
        fixture.refreshes.report(.stored(AccountID(account: "none", realm: "none")))
        for name in [fixture.server.user.id, "second"] {
            guard case .revocationPostponed(let account, _)? = await reports.next() else {
                Issue.record("nobody was told of \(name)")
                break
            }
            #expect(account.account == name)
        }
        #expect(error?.failureClass == .transient)
        #expect(try await fixture.client.isSignedIn(sessionId: "second") == false)
        await fixture.server.stop()
    }

    @Test("With an ID token the server's sign-out flow runs to its end")
    func serverSignOut() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signInByRedirect()
        let url = try #require(try await fixture.client.signOutURL())
        let hint = try #require(CallbackURL(url)["id_token_hint"])
        try await fixture.client.signOut(options: SignOutOptions(idTokenHint: hint, requiresRevocation: true))
        #expect(fixture.wire.requests(to: "/oauth2/logout").map(\.status) == [302])
        #expect(fixture.wire.requests(to: "/oauth2/logout/callback").map(\.status) == [200])
        await fixture.server.stop()
    }

    @Test("The address for the browser names the client, the ID token, where to go and a state")
    func signOutURL() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signInByRedirect()
        let parameters = try CallbackURL(#require(try await fixture.client.signOutURL()))
        #expect(parameters["client_id"] == fixture.server.application.clientID)
        #expect(parameters["id_token_hint"] != nil && parameters["state"] != nil)
        #expect(parameters["post_logout_redirect_uri"] == fixture.server.application.postLogoutRedirectURIs.first)
        await fixture.server.stop()
    }

    @Test("A cleared session is gone at once and for a new client too, without a request")
    func clear() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        fixture.client.clearSession()
        #expect(try await fixture.client.isSignedIn() == false)
        #expect(try await fixture.restarted().isSignedIn() == false)
        #expect(fixture.wire.requests(to: "/oauth2/revoke").isEmpty)
        try await fixture.signIn()
        #expect(try await fixture.client.isSignedIn())
        await fixture.server.stop()
    }

    @Test("A storage that cannot erase a cleared session does not bring it back")
    func clearFails() async throws {
        let fixture = try await ClientFixture()
        let storage = StubbornStorage()
        let client = ThunderIDClient(
            environment: IdentityEnvironment(store: MemoryTokenStore(), time: fixture.clock.dates))
        try await client.initialize(config: fixture.config(), storage: storage)
        try await fixture.signIn(client)
        storage.isReadOnly.withLock { $0 = true }
        client.clearSession()
        let error = await iamError { try await client.getAccessToken() }
        #expect(error?.code == .unknownError)
        await #expect(throws: IAMError.self) { try await client.isSignedIn() }
        await #expect(throws: IAMError.self) { try await client.reInitialize() }
        await #expect(throws: IAMError.self) { try await client.isSignedIn() }
        storage.isReadOnly.withLock { $0 = false }
        #expect(try await client.reInitialize())
        #expect(try await client.isSignedIn() == false)
        await fixture.server.stop()
    }

    @Test("A storage that cannot be read is no sign-out")
    func lockedStorage() async throws {
        let fixture = try await ClientFixture()
        let storage = StubbornStorage()
        let client = ThunderIDClient(
            environment: IdentityEnvironment(store: MemoryTokenStore(), time: fixture.clock.dates))
        try await client.initialize(config: fixture.config(), storage: storage)
        try await fixture.signIn(client)
        storage.isLocked.withLock { $0 = true }
        let error = await iamError { try await client.isSignedIn() }
        #expect(error?.failureClass == .transient)
        storage.isLocked.withLock { $0 = false }
        #expect(try await client.isSignedIn())
        await fixture.server.stop()
    }

    @Test("A token an API refused is replaced, and a request carries the session's token")
    func replacing() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let token = try await fixture.client.getAccessToken()
        fixture.clock.advance(by: .seconds(1))
        let newer = try await fixture.client.getAccessToken(replacing: token)
        #expect(newer != token)
        #expect(try await fixture.client.getAccessToken(replacing: token) == newer)
        let resource = fixture.server.url.appendingPathComponent("api/resource")
        let request = try await fixture.client.authorized(.init(url: resource))
        #expect(try await fixture.wire.data(for: request).1.statusCode == 200)
        await fixture.server.stop()
    }
}

/// A storage that can be made to fail.
private final class StubbornStorage: StorageAdapter {
    let isLocked = Locked(false)
    let isReadOnly = Locked(false)
    private let base = InMemoryStorageAdapter()

    private struct Full: Error {}

    func store(key: String, value: String) throws {
        if isReadOnly.withLock({ $0 }) { throw Full() }
        base.store(key: key, value: value)
    }
    func retrieve(key: String) throws -> String? {
        if isLocked.withLock({ $0 }) { throw TokenStoreError.locked(detail: "It is locked.") }
        return base.retrieve(key: key)
    }
    func delete(key: String) { base.delete(key: key) }
    func clear() { base.clear() }
}
