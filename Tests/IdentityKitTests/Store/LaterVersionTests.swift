import Foundation
import IdentityKit
import TestSupport
import Testing

/// Files that a later version of this library has written.
@Suite struct LaterVersionTests {
    private let fixture = SessionsFixture()
    private let files: FileStoreFixture
    private let bob = AccountID(account: "bob", realm: "other")
    private var key: StoreKey { .account(fixture.account) }

    init() throws {
        files = try FileStoreFixture()
    }

    /// What a program with a session of `realm` has that opens the store now.
    private func sessions(of realm: String = "work") throws -> ProviderSessions {
        ProviderSessions(
            realm: realm, origin: .anyone(at: "https://id.example.com"), store: try files.open(),
            time: fixture.clock.dates
        ) { [backend = fixture.backend] in try await backend.refresh($0) }
    }

    /// Replaces the session's file by one of another version, with members that this one does not know.
    private func plant(version: String) async throws {
        let record = try #require(try await files.open().record(for: key))
        var session = try JSONValue(parsing: try #require(record.content))
        session["credential"]?["laterMember"] = ["kind": "new"]
        let content = try JSONEncoder().encode(session).base64EncodedString()
        let body = """
            {"content":"\(content)","generation":\(record.generation),\
            "key":{"collection":"accounts","name":"\(key.name)"},"later":[1,2]}
            """
        let file = try FileHandle(forWritingTo: files.file(of: key))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: FileStoreFixture.file(version: version, body: body))
        try file.close()
    }

    @Test("A session of a later minor version is used and refreshed, and what that version added is kept")
    func minor() async throws {
        try await sessions().begin(fixture.credential(), for: fixture.account)
        try await plant(version: "1.1")
        #expect(try await sessions().lookUp().account == fixture.account)
        #expect(try await fixture.token(sessions()) == "token")
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.token(sessions()) == "token-1")
        let record = try #require(try await files.open().record(for: key))
        #expect(record.generation == 2)
        let session = try JSONValue(parsing: try #require(record.content))
        #expect(session["credential"]?["laterMember"] == ["kind": "new"])
        let text = try String(contentsOf: files.file(of: key), encoding: .utf8)
        #expect(text.hasPrefix("swift-identity-record 1.0 ") && text.contains(#""later":[1,2]"#))
    }

    @Test("A session of a later major version is neither used nor changed, and whoever wants it is told why")
    func major() async throws {
        try await sessions().begin(fixture.credential(), for: fixture.account)
        try await sessions(of: "other").begin(fixture.credential("bob"), for: bob)
        try await plant(version: "2.0")
        let planted = try Data(contentsOf: files.file(of: key))
        let sessions = try sessions()
        let (account, store) = (fixture.account, try files.open())
        let uses: [(String, () async throws -> Void)] = [
            ("a look", { _ = try await sessions.lookUp() }),
            ("a look at the account", { _ = try await sessions.lookUp(account) }),
            ("a token", { _ = try await sessions.accessToken(for: account, scopes: []) }),
            ("a sign-in", { try await sessions.begin(fixture.credential("next"), for: account) }),
            ("a sign-out", { _ = try await sessions.end(account) }),
            ("a detail", { try await sessions.remember(["note": "new"], for: account) }),
            ("a write", { _ = try await store.write(nil, for: key, replacing: 1) }),
            ("the quarantine", { try await store.quarantine(key) }),
        ]
        for (name, use) in uses {
            let error = await #expect(throws: TokenStoreError.self, "\(name)") { try await use() }
            guard case .tooNew(_, version: 2)? = error else {
                Issue.record("\(name): \(String(describing: error))")
                continue
            }
            #expect(error?.message.contains("newer than this version understands") == true)
        }
        #expect(try Data(contentsOf: files.file(of: key)) == planted)
        #expect(try await store.purge(unusedSince: .distantFuture).failures == 1)
        #expect(try Data(contentsOf: files.file(of: key)) == planted)
    }

    @Test("The other sessions of the store go on")
    func others() async throws {
        try await sessions().begin(fixture.credential(), for: fixture.account)
        try await sessions(of: "other").begin(fixture.credential("bob"), for: bob)
        try await plant(version: "2.0")
        #expect(try await sessions(of: "other").lookUp().account == bob)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await sessions(of: "other").accessToken(for: bob, scopes: []) == "token-1")
    }

    @Test("A store whose description has a later version is not opened, one with more members is", arguments: [1, 2])
    func description(version: Int) async throws {
        try await sessions().begin(fixture.credential(), for: fixture.account)
        let file = files.root.appendingPathComponent("store.json")
        var description = try JSONValue(parsing: try Data(contentsOf: file))
        description["version"] = .integer(Int64(version))
        description["later"] = true
        let planted = try JSONEncoder().encode(description)
        try planted.write(to: file)
        // A later version replaces the copy too, by one that cannot be read here.
        if version > 1 { try planted.write(to: files.root.appendingPathComponent("store.copy")) }
        if version == 1 {
            #expect(try await sessions().lookUp().account == fixture.account)
        } else {
            #expect(throws: TokenStoreError.tooNew(path: file.path, version: 2)) { try files.open() }
        }
        #expect(try Data(contentsOf: file) == planted)
    }
}
