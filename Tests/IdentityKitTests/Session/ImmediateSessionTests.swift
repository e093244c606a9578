import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// What can be said of a session without suspending anybody, and what it remembers beside its tokens.
@Suite struct ImmediateSessionTests {
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
    }

    private func stores() throws -> [any TokenStore] {
        [
            MemoryTokenStore(),
            try StoreConfiguration.file(folder: temporary.file("plain").path, key: .allowUnencryptedStorage).open(),
            try StoreConfiguration.file(folder: temporary.file("sealed").path, key: .keyFile()).open(),
        ]
    }

    private func sessions(_ fixture: SessionsFixture, _ store: any TokenStore) -> ProviderSessions {
        fixture.sessions(store: store)
    }

    @Test("Memory, files and files sealed with a key file answer at once, in every state")
    func answers() async throws {
        for store in try stores() {
            let fixture = SessionsFixture()
            let sessions = sessions(fixture, store)
            let nobody = try #require(try sessions.immediateCredential())
            #expect(nobody == nil)
            try await sessions.begin(fixture.credential("first"), for: fixture.account)
            fixture.clock.advance(by: .seconds(1))
            let other = AccountID(account: "bob", realm: "work")
            try await sessions.begin(fixture.credential("second"), for: other)
            let newest = try #require(try sessions.immediateCredential())
            #expect(newest?.account == other && newest?.credential.accessToken == "second")
            try await sessions.end(other)
            #expect(try sessions.immediateCredential()??.account == fixture.account)
            try await sessions.end(fixture.account)
            let afterwards = try #require(try sessions.immediateCredential())
            #expect(afterwards == nil)
        }
    }

    @Test("In a store with many accounts, a realm without a session is found out without reading them all")
    func absence() async throws {
        for store in try stores() {
            let fixture = SessionsFixture()
            let other = ProviderSessions(
                realm: "other", origin: .anyone(at: "https://id.example.com"), store: store, time: fixture.clock.dates
            ) { _ in throw CancellationError() }
            for number in 0..<64 {
                try await other.begin(fixture.credential(), for: AccountID(account: "\(number)", realm: "other"))
            }
            let sessions = sessions(fixture, store)
            #expect(try await sessions.lookUp().account == nil)
            // Only a look at all of them would find this one, which no index names.
            let content = try #require(
                try await store.record(for: .account(AccountID(account: "1", realm: "other")))?.content)
            try await store.write(content, for: .account(fixture.account), replacing: 0)
            let found = try #require(try sessions.immediateCredential())
            #expect(found == nil)
            try await sessions.begin(fixture.credential("own"), for: fixture.account)
            #expect(try sessions.immediateCredential()??.credential.accessToken == "own")
        }
    }

    @Test("Another process finds a sealed session at once, before it has used the key for anything")
    func coldStart() async throws {
        let fixture = SessionsFixture()
        let configuration = StoreConfiguration.file(folder: temporary.file("cold").path, key: .keyFile())
        try await sessions(fixture, configuration.open()).begin(fixture.credential(), for: fixture.account)
        let cold = sessions(fixture, try configuration.open())
        #expect(try cold.immediateCredential()??.credential.accessToken == "token")
    }

    @Test("A store that cannot answer at once says so, and a damaged record is no absence")
    func unknown() async throws {
        let fixture = SessionsFixture()
        // The fixture's own store knows only the asynchronous way.
        #expect(try fixture.sessions().immediateCredential() == nil)
        let memory = MemoryTokenStore()
        try await memory.write(Data("{".utf8), for: .account(fixture.account), replacing: 0)
        #expect(throws: TokenStoreError.self) { try sessions(fixture, memory).immediateCredential() }
    }

    @Test("A key that another process keeps is not waited for, and used once it is known")
    func slowKey() async throws {
        let fixture = SessionsFixture()
        let base = MemoryTokenStore()
        let home = SlowHome(base: KeyFile(path: temporary.file("keys/store.key").path))
        try await sessions(fixture, SealedTokenStore(base, storeID: "s", key: home))
            .begin(fixture.credential(), for: fixture.account)
        let cold = sessions(fixture, SealedTokenStore(base, storeID: "s", key: home))
        #expect(try cold.immediateCredential() == nil)
        _ = try await cold.lookUp()
        #expect(try cold.immediateCredential()??.account == fixture.account)
    }

    // MARK: Remembering

    @Test("A session remembers something new, and its tokens stay as they are")
    func remembering() async throws {
        for store in try stores() {
            let fixture = SessionsFixture()
            let sessions = sessions(fixture, store)
            try await sessions.begin(fixture.credential(), for: fixture.account)
            try await sessions.remember(["name": "Ada"], for: fixture.account)
            try await sessions.remember(["colour": "blue"], for: fixture.account)
            let credential = try await sessions.storedCredential(of: fixture.account)
            #expect(credential?.details == ["name": "Ada", "colour": "blue"])
            #expect(credential?.accessToken == "token")
            #expect(try await sessions.credential(for: fixture.account, scopes: []).details.count == 2)
            // The lease is free again.
            fixture.clock.advance(by: .seconds(3600))
            #expect(try await fixture.token(sessions) == "token-1")
        }
    }

    @Test("Remembering costs a refresh in flight nothing, and starts no session")
    func besideRefresh() async throws {
        let fixture = SessionsFixture()
        let sessions = try await fixture.expired()
        fixture.backend.script(.after { try await sessions.remember(["name": "Ada"], for: fixture.account) })
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(fixture.backend.discarded.isEmpty)
        try await sessions.end(fixture.account)
        try await sessions.remember(["name": "Ada"], for: fixture.account)
        #expect(try await sessions.storedCredential(of: fixture.account) == nil)
    }
}

/// A home whose key can only be asked for asynchronously.
private struct SlowHome: DataKeyHome {
    let base: KeyFile
    let name = "a slow home"

    func keys(forStore storeID: String) async throws -> [DataKey] { try base.keys(forStore: storeID) }

    func makeKey(forStore storeID: String) async throws -> DataKey { try await base.makeKey(forStore: storeID) }
}
