import Foundation
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityKit

/// A backend may send a profile of any size. What is kept of it fits into every store, and the tokens are kept first.
@Suite struct RecordSizeTests {
    private static let photo = "data:image/png;base64," + String(repeating: "A", count: 850_000)
    private static let limit = 48 * 1024

    /// A store of each kind that a test can open.
    enum Place: CaseIterable {
        case memory, file, sealedFile, keychain, sealedKeychain
    }

    private func open(_ place: Place, in fixture: FileStoreFixture) throws -> any TokenStore {
        let keychain = KeychainTokenStore(FakeKeychain(), service: "test")
        return switch place {
        case .memory: MemoryTokenStore()
        case .file: try fixture.open()
        case .sealedFile: try StoreConfiguration.file(folder: fixture.root.path, key: .keyFile()).open()
        case .keychain: keychain
        case .sealedKeychain:
            SealedTokenStore(keychain, storeID: "test", key: KeyFile(path: fixture.temporary.file("keys/key").path))
        }
    }

    /// A session with everything that is large somewhere.
    private func session(of fixture: SessionsFixture) -> Credential {
        var credential = fixture.credential(String(repeating: "t", count: 16_000))
        credential.profile = AccountProfile(
            displayName: "Ada", email: "ada@example.org", picture: URL(string: Self.photo))
        credential.details = [
            "subject": "ada", "user": ["photo": .string(Self.photo)],
            "large": .string(String(repeating: "l", count: 4000)),
        ]
        return credential
    }

    @Test(
        "Every store keeps the session of a person with a large photo, at a sign-in and at a refresh",
        arguments: Place.allCases)
    func everyStore(place: Place) async throws {
        let files = try FileStoreFixture()
        let fixture = SessionsFixture(store: try open(place, in: files))
        let credential = session(of: fixture)
        let sessions = fixture.sessions(exchange: {
            var refreshed = credential
            refreshed.accessToken = Secret($0.accessToken.reveal() + "-1")
            return .refreshed(refreshed)
        })
        try await sessions.begin(credential, for: fixture.account)
        for token in [credential.accessToken, Secret(credential.accessToken.reveal() + "-1")] {
            let record = try #require(try await fixture.store.record(for: .account(fixture.account)))
            #expect(record.content?.count ?? .max <= Self.limit)
            let stored = try #require(try await fixture.sessions().storedCredential(of: fixture.account))
            #expect(stored.accessToken == token && stored.refreshToken == credential.refreshToken)
            #expect(stored.profile == AccountProfile(displayName: "Ada", email: "ada@example.org"))
            #expect(stored.details.keys.sorted() == ["large", "subject"])
            _ = try await fixture.token(sessions, replacing: credential.accessToken.reveal())
        }
    }

    @Test(
        "The space that a lease reserves suffices for the largest session, encrypted",
        arguments: [Place.file, .sealedFile])
    func reservedSpace(place: Place) async throws {
        let files = try FileStoreFixture()
        let store = try open(place, in: files)
        let key = StoreKey(.accounts, "work/" + String(repeating: "n", count: 1024))
        _ = try await store.write(Data(repeating: 1, count: Self.limit), for: key, replacing: 0)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: files.root.path)
        let sizes = paths.filter { $0.contains("accounts") }.compactMap { path in
            try? Data(contentsOf: files.root.appendingPathComponent(path)).count
        }
        let largest = try #require(sizes.max())
        #expect(largest > Self.limit && largest <= FileTokenStore.reservedSize)
    }

    @Test("What only shows a person gives way, the largest first, and what a session is checked by stays")
    func order() throws {
        func kept(_ size: Int) throws -> Credential {
            var credential = session(of: SessionsFixture())
            credential.accessToken = Secret(String(repeating: "t", count: size))
            let content = try SessionRecord.live(credential).encoded()
            let record = StoreRecord(key: StoreKey(.accounts, "work/ada"), generation: 1, content: content)
            guard case .live(let kept)? = try SessionRecord(record) else { throw TestError() }
            return kept
        }
        #expect(try kept(40_000).details.keys.sorted() == ["large", "subject"])
        let withoutDetails = try kept(46_000)
        #expect(withoutDetails.details == ["subject": "ada"] && withoutDetails.profile?.displayName == "Ada")
        var name = session(of: SessionsFixture())
        name.profile = AccountProfile(displayName: String(repeating: "n", count: 2000))
        name.details = ["subject": "ada"]
        name.accessToken = Secret(String(repeating: "t", count: 47_500))
        let record = StoreRecord(
            key: StoreKey(.accounts, "work/ada"), generation: 1, content: try SessionRecord.live(name).encoded())
        guard case .live(let anonymous)? = try SessionRecord(record) else { throw TestError() }
        #expect(anonymous.profile == nil && anonymous.details == ["subject": "ada"])
    }

    @Test("What is kept of a token response for the app gives way before the profile")
    func responseDetails() throws {
        var credential = SessionsFixture().credential(String(repeating: "t", count: 40_000))
        credential.profile = AccountProfile(displayName: "Ada")
        credential.details = ["subject": "ada"]
        credential.keep(["first": .string(String(repeating: "d", count: 1024))])
        credential.keep(["second": 2])
        func kept() throws -> Credential? {
            let record = StoreRecord(
                key: StoreKey(.accounts, "work/ada"), generation: 1,
                content: try SessionRecord.live(credential).encoded())
            guard case .live(let kept)? = try SessionRecord(record) else { return nil }
            return kept
        }
        #expect(try kept()?.responseDetails.keys.sorted() == ["first", "second"])
        for number in 3...16 {
            credential.keep(["detail\(number)": .string(String(repeating: "d", count: 1024))])
        }
        let small = try #require(try kept())
        #expect(small.details == ["subject": "ada"] && small.profile?.displayName == "Ada")
        #expect(small.accessToken == credential.accessToken)
    }

    @Test("Tokens that alone are larger than a record are an error with the size, and what is stored stays")
    func tokens() async throws {
        let fixture = SessionsFixture()
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        let large = fixture.credential(String(repeating: "t", count: Self.limit))
        let error = await #expect(throws: TokenStoreError.self) {
            try await sessions.begin(large, for: fixture.account)
        }
        guard case .tooLarge(let size, Self.limit)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(size > Self.limit && error?.failureClass == .definitive && error?.message.contains("\(size)") == true)
        #expect(try await fixture.token(sessions) == "token")
    }

    @Test("A text of a profile has at most 2 KiB: a name ends at a character, an address is left out")
    func texts() {
        // Each has four bytes.
        let name = String(repeating: "👩", count: 600)
        let long = String(repeating: "a", count: 2049)
        let picture = URL(string: "https://img.example/" + long)
        let profile = AccountProfile(displayName: name, email: long, username: long, picture: picture).shortened
        #expect(profile == AccountProfile(displayName: String(repeating: "👩", count: 512)))
        #expect(AccountProfile(picture: URL(string: "DATA:image/png,1")).shortened.isEmpty)
        // One character may have any number of bytes.
        #expect(AccountProfile(displayName: "e" + String(repeating: "\u{301}", count: 2000)).shortened.isEmpty)
        let short = AccountProfile(
            displayName: "Ada", email: "ada@example.org", username: "ada", picture: URL(string: "https://img.example/1")
        )
        #expect(short.shortened == short)
    }

    @Test("The record of an ended session is as bounded")
    func ended() throws {
        let profile = AccountProfile(displayName: "Ada", picture: URL(string: Self.photo))
        let ended = EndedSession(endReason: "It is over.", signedInAt: .now, profile: profile, backend: "b")
        #expect(try SessionRecord.ended(ended).encoded().count < 1000)
        let told = EndedSession(
            endReason: String(repeating: "r", count: 100_000), signedInAt: .now, profile: profile, backend: "b")
        #expect(try SessionRecord.ended(told).encoded().count < 4000)
    }
}
