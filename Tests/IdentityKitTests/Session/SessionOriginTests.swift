import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// Sessions that the configuration of the moment has nothing to do with.
@Suite struct SessionOriginTests {
    private static let backend = "https://id.example.com"
    private static let own = SessionOrigin(type: "thunderid", backend: backend, clientID: "cl")

    private let fixture = SessionsFixture()
    private var account: AccountID { fixture.account }

    private func sessions(
        _ origin: SessionOrigin = own, exchange: SessionBackend.Exchange? = nil
    ) -> ProviderSessions {
        ProviderSessions(
            realm: "work", origin: origin, store: fixture.store, time: fixture.clock.dates, monitor: fixture.monitor,
            discard: { [backend = fixture.backend] in backend.noteDiscarded($0) }, areIndependent: { _, _ in true },
            exchange: exchange ?? { [backend = fixture.backend] in try await backend.refresh($0) })
    }

    /// Stores a session that does not name its provider's type.
    private func storeUnnamed(clientID: String?) async throws {
        var credential = fixture.credential()
        credential.clientID = clientID
        try await sessions(.anyone(at: Self.backend)).begin(credential, for: account)
    }

    static let others: [(SessionOrigin, String)] = [
        (SessionOrigin(type: "thunderid", backend: backend, clientID: "prod-client"), "client \"prod-client\""),
        (SessionOrigin(type: "insforge", backend: backend, clientID: "cl"), "type \"insforge\""),
        (SessionOrigin(type: "thunderid", backend: backend), "no client"),
        (SessionOrigin(type: "thunderid", backend: "https://id.example.org", clientID: "cl"), "https://id.example.org"),
        (SessionOrigin(type: "insforge", backend: backend), "type \"insforge\" and no client"),
    ]

    @Test(
        "A session of another type, backend or client is absent with the reason, kept, and there again",
        .guards("refresh token's client"),
        arguments: others)
    func keptAndBack(origin: SessionOrigin, configured: String) async throws {
        try await sessions().begin(fixture.credential(), for: account)
        let stored = try await fixture.store.record(for: .account(account))
        fixture.clock.advance(by: .seconds(3600))

        let other = sessions(origin)
        let reason =
            "It belongs to client \"cl\" of a provider of type \"thunderid\" at https://id.example.com, and here "
            + "\(configured) is configured. It is kept, and can be used when its own configuration is back."
        for lookup in [try await other.lookUp(), try await other.lookUp(account)] {
            guard case .absent(.belongsElsewhere(reason)) = lookup else {
                Issue.record("\(lookup)")
                return
            }
        }
        let foreign = SessionError.belongsElsewhere(account, reason: reason)
        #expect(
            foreign.messageWithIdentifier
                == "The session of \(account) cannot be used here: \(reason) Signing in replaces it.")
        #expect(foreign.failureCode == "session_belongs_elsewhere" && foreign.failureClass == .definitive)
        #expect(foreign.asksForSignIn && foreign.nextAttempt == nil)
        #expect(AbsenceReason.belongsElsewhere(reason).description == "the session cannot be used here: \(reason)")
        #expect(
            AbsenceReason.activeBelongsElsewhere(account, reason: reason).description
                == "the session of \(account) cannot be used here: \(reason)")
        #expect(
            SessionFallback(from: account, reason: reason, cause: .belongsElsewhere).description
                == "instead of \(account), whose session cannot be used here: \(reason)")
        #expect(try await other.storedCredential(of: account) == nil)
        await #expect(throws: foreign) { try await fixture.token(other) }
        await #expect(throws: foreign) {
            try await other.credential(for: account, scopes: [], replacing: "token")
        }
        try await other.remember(["note": "of another"], for: account)
        #expect(fixture.backend.requests.isEmpty)
        #expect(try await fixture.store.record(for: .account(account)) == stored)

        #expect(try await sessions().lookUp().account == account)
        #expect(try await fixture.token(sessions()) == "token-1")
    }

    @Test("No text shows the password in an address of a backend")
    func passwords() async throws {
        let own = sessions(SessionOrigin(type: "a", backend: "https://user:s3cr3t@id.example.com"))
        var credential = fixture.credential()
        credential.backend = "https://user:s3cr3t@id.example.org"
        try await sessions(.anyone(at: credential.backend)).begin(credential, for: account)
        guard case .absent(.belongsElsewhere(let text)) = try await own.lookUp() else {
            Issue.record("It is another configuration's.")
            return
        }
        #expect(!text.contains("s3cr3t") && text.contains("https://id.example.org, and here"), "\(text)")
        #expect(text.contains("here https://id.example.com is configured"), "\(text)")
        var dumped = ""
        dump(own, to: &dumped)
        #expect(!dumped.contains("s3cr3t"))
    }

    @Test("Signing out of such a session erases it and shows its tokens to nobody")
    func signingOut() async throws {
        try await sessions().begin(fixture.credential(), for: account)
        var reports = fixture.monitor.reports().makeAsyncIterator()
        #expect(try await sessions(Self.others[0].0).end(account) == nil)
        #expect(try await fixture.store.record(for: .account(account))?.content == nil)
        guard case .notRevoked(account, let error) = await reports.next() else {
            Issue.record("It has to be said.")
            return
        }
        let failure = try #require(error as? any IdentityFailure)
        #expect(failure.failureCode == "foreign_session_ended")
        #expect(
            failure.message == "The session with \(account.realm) belongs to client \"cl\" of a provider of type "
                + "\"thunderid\" at https://id.example.com, and here client \"prod-client\" is configured.")
    }

    @Test("A sign-in that replaces such a session does not revoke it", arguments: others)
    func replacing(origin: SessionOrigin, configured: String) async throws {
        try await sessions().begin(fixture.credential(), for: account)
        var next = fixture.credential(refreshToken: "next")
        next.backend = origin.backend
        try await sessions(origin).begin(next, for: account)
        #expect(fixture.backend.discarded == [])
        #expect(try await sessions(origin).lookUp().account == account)
    }

    @Test("A sign-in that replaces a session of the same origin does")
    func replacingOwn() async throws {
        try await sessions().begin(fixture.credential(), for: account)
        try await sessions().begin(fixture.credential(refreshToken: "next"), for: account)
        #expect(fixture.backend.discarded == ["refresh-0"])
    }

    @Test("A session that names no type is taken, and names it with the next write")
    func unnamedType() async throws {
        try await storeUnnamed(clientID: "cl")
        #expect(try await sessions().storedCredential(of: account)?.providerType == nil)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.token(sessions()) == "token-1")
        let refreshed = try #require(try await sessions().storedCredential(of: account))
        #expect(refreshed.providerType == "thunderid" && refreshed.clientID == "cl")
        #expect(try await sessions(Self.others[1].0).lookUp().account == nil)
    }

    @Test("What is remembered with a session that names neither type nor client makes it name both")
    func remembering() async throws {
        try await storeUnnamed(clientID: nil)
        try await sessions().remember(["note": "new"], for: account)
        let stored = try #require(try await sessions().storedCredential(of: account))
        #expect(stored.providerType == "thunderid" && stored.clientID == "cl")
    }

    @Test("A session of another client that names no type is not taken either")
    func unnamedTypeOfAnotherClient() async throws {
        try await storeUnnamed(clientID: "prod-client")
        #expect(try await sessions().lookUp().account == nil)
        #expect(try await sessions(SessionOrigin(type: "insforge", backend: Self.backend)).lookUp().account == nil)
    }

    @Test("A provider of stored sessions uses them whatever signed in, and a list tells whose they are")
    func storedAccounts() async throws {
        try await sessions().begin(fixture.credential(), for: account)
        let provider = StoredAccountProvider(
            realm: "work", backend: Self.backend, store: fixture.store, time: fixture.clock.dates)
        #expect(try await provider.accessToken(for: account, scopes: []) == "token")
        let client = IdentityClient(
            provider: provider, environment: IdentityEnvironment(store: fixture.store, time: fixture.clock.dates))
        guard case .live(let details) = try await client.summary(of: account)?.session else {
            Issue.record("It is of use.")
            return
        }
        #expect(details.clientID == "cl" && details.providerType == "thunderid")
    }

    @Test("A list shows a session of another origin as kept")
    func list() async throws {
        struct Provider: SessionBackedProvider {
            let sessions: ProviderSessions
            var mayShowSignIn: Bool { false }
            func signIn(in context: CallerContext) async throws -> AccountID? { nil }
            func requestAuthorization(
                for accountID: AccountID, scopes: Set<String>, deviceToken: String
            ) async throws -> Data? { nil }
            func signOut(_ accountID: AccountID) async throws {}
        }
        try await sessions().begin(fixture.credential(), for: account)
        let chain = try IdentityProviderChain([.init("work", Provider(sessions: sessions(Self.others[0].0)))])
        let client = IdentityClient(
            provider: chain, environment: IdentityEnvironment(store: fixture.store, time: fixture.clock.dates))
        for summary in [try await client.accounts().accounts.first, try await client.summary(of: account)] {
            guard case .kept(let details, let reason)? = summary?.session else {
                Issue.record("\(String(describing: summary))")
                return
            }
            #expect(details.clientID == "cl" && reason.hasPrefix("It belongs to client \"cl\" of "))
        }
    }
}
