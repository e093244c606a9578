import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import TestSupport
import Testing

@testable import ThunderID

/// An app that moves here from ThunderID's own SDK. The samples are written by hand, in the form that SDK uses: one text
/// for each token, and the expiry in seconds since 1970.
@Suite(.endsInTime) struct TakeoverTests {
    private static let names = ["access_token", "refresh_token", "id_token", "token_expiry", "scope"]

    /// The tokens of a person who signed in with the SDK before.
    private struct Sample {
        var texts: [String: String]

        /// Signs in with another client, and writes its tokens as the SDK does.
        init(_ fixture: ClientFixture) async throws {
            let store = MemoryTokenStore()
            let client = ThunderIDClient(
                environment: IdentityEnvironment(store: store, transport: fixture.wire, time: fixture.clock.dates))
            try await client.initialize(config: fixture.config())
            try await fixture.signIn(client)
            let credential = try #require(
                try await client.engine().liveCredential(of: client.engine().account(nil)))
            texts = [
                "thunder.access_token": credential.accessToken.reveal(),
                "thunder.refresh_token": try #require(credential.refreshToken).reveal(),
                "thunder.id_token": try #require(credential.idToken).reveal(),
                "thunder.token_expiry": String(try #require(credential.expiresAt).timeIntervalSince1970),
                "thunder.scope": "openid profile email",
            ]
        }

        init(_ texts: [String: String]) { self.texts = texts }

        func put(_ storage: InMemoryStorageAdapter) {
            for (key, text) in texts { storage.store(key: key, value: text) }
        }

        func put(_ keychain: FakeKeychain, service: String = "dev.thunderid.sdk") {
            for (key, text) in texts {
                keychain.replace(
                    KeychainName(service: service, account: key),
                    with: KeychainItem(tag: Data(), value: Data(text.utf8)))
            }
        }
    }

    /// The former texts that are still there.
    private func left(in keychain: FakeKeychain) -> Set<String> {
        Set(keychain.items.keys.map(\.account).filter { $0.hasPrefix("thunder.") })
    }

    /// A client as an app has it after the update: a store of its own, and the Keychain of the SDK before.
    private func updated(
        _ fixture: ClientFixture, _ keychain: FakeKeychain, store: any TokenStore = MemoryTokenStore(),
        observer: (any IdentityObserver)? = nil, _ adjust: (inout ThunderIDConfig) -> Void = { _ in }
    ) async throws -> ThunderIDClient {
        var environment = IdentityEnvironment(store: store, transport: fixture.wire, time: fixture.clock.dates)
        environment.refreshMonitor = RefreshMonitor()
        if let observer { environment.refreshMonitor.observers.add(observer) }
        let client = ThunderIDClient(environment: environment, formerKeychain: FormerKeychain(keychain))
        try await client.initialize(config: fixture.config(adjust))
        return client
    }

    @Test("The session in the Keychain goes on without a request, and is removed there")
    func keychain() async throws {
        let fixture = try await ClientFixture()
        let (keychain, sample) = (FakeKeychain(), try await Sample(fixture))
        sample.put(keychain)
        let client = try await updated(fixture, keychain)
        let before = fixture.wire.exchanges.count
        #expect(try await client.isSignedIn())
        #expect(try await client.getAccessToken() == sample.texts["thunder.access_token"])
        #expect(fixture.wire.exchanges.count == before)
        #expect(left(in: keychain) == [])
        #expect(try await client.getUser().sub == fixture.server.user.id)
        await fixture.server.stop()
    }

    @Test("A session in the app's own storage goes on, and fifty first calls take it over once")
    func adapter() async throws {
        let fixture = try await ClientFixture()
        let sample = try await Sample(fixture)
        sample.put(fixture.storage)
        let client = try await fixture.restarted()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await client.getAccessToken() } }
            for try await token in group { #expect(token == sample.texts["thunder.access_token"]) }
        }
        #expect(sample.texts.keys.allSatisfy { fixture.storage.retrieve(key: $0) == nil })
        #expect(try await fixture.restarted().isSignedIn())
        await fixture.server.stop()
    }

    @Test("The storage adapter of this library removes the items that the SDK's own has written")
    func keychainAdapter() async throws {
        let fixture = try await ClientFixture()
        let keychain = FakeKeychain()
        try await Sample(fixture).put(keychain)
        let client = ThunderIDClient()
        try await client.initialize(
            config: fixture.config(), storage: KeychainStorageAdapter(keychain, service: "dev.thunderid.sdk"))
        #expect(try await client.isSignedIn())
        #expect(left(in: keychain) == [])
        await fixture.server.stop()
    }

    @Test("An expired access token is refreshed with the refresh token that was kept, also where it alone was kept")
    func expired() async throws {
        for isAlone in [false, true] {
            let fixture = try await ClientFixture()
            let keychain = FakeKeychain()
            var sample = try await Sample(fixture)
            if isAlone {
                sample.texts = sample.texts.filter { $0.key == "thunder.refresh_token" }
            } else {
                fixture.clock.advance(by: .seconds(3600))
            }
            sample.put(keychain)
            let client = try await updated(fixture, keychain)
            let token = try await client.getAccessToken()
            #expect(token != sample.texts["thunder.access_token"] && fixture.server.counters.refreshes == 1)
            #expect(left(in: keychain) == [])
            await fixture.server.stop()
        }
    }

    @Test("Signing out right after the update ends the old session at the server too")
    func signOut() async throws {
        let fixture = try await ClientFixture()
        let (keychain, sample) = (FakeKeychain(), try await Sample(fixture))
        sample.put(keychain)
        let client = try await updated(fixture, keychain)
        try await client.signOut()
        #expect(left(in: keychain) == [])
        let revoked = fixture.wire.requests(to: "/oauth2/revoke").compactMap { $0.parameter("token") }
        #expect(revoked == [sample.texts["thunder.refresh_token"]])
        // What an extension with the old version writes after it is not taken over.
        sample.put(keychain)
        #expect(try await client.isSignedIn() == false)
        await fixture.server.stop()
    }

    @Test("An assertion lasts as long as it says, and what an earlier person left beside it is not used")
    func assertion() async throws {
        let fixture = try await ClientFixture()
        let keychain = FakeKeychain()
        let other = try await Sample(fixture)
        let now = Int(fixture.clock.now.timeIntervalSince1970)
        let assertion = Self.token(["sub": "grace", "iat": now, "exp": now + 600], type: "JWT")
        var texts = other.texts
        texts["thunder.access_token"] = assertion
        Sample(texts).put(keychain)
        let client = try await updated(fixture, keychain)
        #expect(try await client.getAccessToken() == assertion)
        #expect(try await client.sessionEnd() == Date(timeIntervalSince1970: TimeInterval(now + 600)))
        #expect(left(in: keychain) == [])
        fixture.clock.advance(by: .seconds(601))
        #expect(try await client.isSignedIn() == false)
        #expect(fixture.server.counters.refreshes == 0)
        await fixture.server.stop()
    }

    @Test("A person who is signed in here stays, and the old session is removed")
    func oursWins() async throws {
        let fixture = try await ClientFixture()
        let (keychain, store) = (FakeKeychain(), MemoryTokenStore())
        let first = try await updated(fixture, keychain, store: store)
        try await fixture.signIn(first)
        let token = try await first.getAccessToken()
        let now = Int(fixture.clock.now.timeIntervalSince1970)
        Sample([
            "thunder.access_token": Self.token(["sub": "grace", "iat": now, "exp": now + 600], type: "at+jwt"),
            "thunder.refresh_token": "r",
        ]).put(keychain)
        let second = try await updated(fixture, keychain, store: store)
        #expect(try await second.getAccessToken() == token)
        #expect(left(in: keychain) == [])
        try await second.signOut()
        #expect(try await second.isSignedIn() == false)
        await fixture.server.stop()
    }

    @Test("While the Keychain is locked that is no sign-out, and afterwards the session is there")
    func locked() async throws {
        for answer in FakeKeychain.LockedAnswer.allCases {
            let fixture = try await ClientFixture()
            let keychain = FakeKeychain()
            try await Sample(fixture).put(keychain)
            keychain.lock(answering: answer)
            let client = try await updated(fixture, keychain)
            _ = await iamError { try await client.isSignedIn() }
            keychain.lock(answering: nil)
            #expect(try await client.isSignedIn())
            await fixture.server.stop()
        }
    }

    @Test("A store that cannot be written loses nothing")
    func failingStore() async throws {
        let fixture = try await ClientFixture()
        let (keychain, store) = (FakeKeychain(), FaultyTokenStore())
        let sample = try await Sample(fixture)
        sample.put(keychain)
        let client = try await updated(fixture, keychain, store: store)
        store.fail(.write, with: TokenStoreError.full(path: "x"))
        _ = await iamError { try await client.isSignedIn() }
        #expect(left(in: keychain) == Set(sample.texts.keys))
        store.heal()
        #expect(try await client.isSignedIn())
        #expect(left(in: keychain) == [])
        await fixture.server.stop()
    }

    @Test("Items that are no session are left where they are, and signing in works")
    func unreadable() async throws {
        let fixture = try await ClientFixture()
        let now = Int(fixture.clock.now.timeIntervalSince1970)
        let elsewhere: [String: Any] = ["sub": "ada", "iss": "https://other.example.com", "exp": now + 600]
        let client: [String: Any] = ["sub": "ada", "client_id": "another", "iat": now, "exp": now + 600]
        let samples: [[String: String]] = [
            ["thunder.access_token": "opaque"],
            ["thunder.access_token": "a.b.c", "thunder.refresh_token": "\u{1}", "thunder.token_expiry": "nan"],
            ["thunder.access_token": Self.token(elsewhere, type: "at+jwt")],
            ["thunder.access_token": Self.token(client, type: "at+jwt"), "thunder.refresh_token": "r"],
            ["thunder.access_token": Self.token(["sub": ""], type: "at+jwt")],
        ]
        for texts in samples {
            let (keychain, recorder) = (FakeKeychain(), Recorder())
            Sample(texts).put(keychain)
            let client = try await updated(fixture, keychain, observer: recorder)
            #expect(try await client.isSignedIn() == false)
            #expect(left(in: keychain) == Set(texts.keys))
            while recorder.codes.isEmpty { await Task.yield() }
            #expect(["takeover_unreadable", "takeover_foreign"].contains(recorder.codes[0]))
            try await fixture.signIn(client)
            #expect(try await client.isSignedIn())
        }
        await fixture.server.stop()
    }

    @Test("Nothing is looked for when the configuration says so, and each vendor has its own items")
    func switchedOff() async throws {
        let fixture = try await ClientFixture()
        let (keychain, sample) = (FakeKeychain(), try await Sample(fixture))
        sample.put(keychain)
        #expect(try await updated(fixture, keychain) { $0.takesOverSession = false }.isSignedIn() == false)
        #expect(try await updated(fixture, keychain) { $0.vendor = "acme" }.isSignedIn() == false)
        #expect(left(in: keychain) == Set(sample.texts.keys))
        sample.put(keychain, service: "dev.acme.sdk")
        #expect(try await updated(fixture, keychain) { $0.vendor = "acme" }.isSignedIn())
        await fixture.server.stop()
    }

    /// A token with these claims and no signature.
    private static func token(_ claims: [String: Any], type: String) -> String {
        func part(_ object: [String: Any]) -> String {
            let content = (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
            return content.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }
        return [part(["alg": "RS256", "typ": type]), part(claims), "c2ln"].joined(separator: ".")
    }

    private final class Recorder: IdentityObserver {
        private let seen = Locked<[String]>([])
        var codes: [String] { seen.withLock { $0 } }

        func observe(_ event: ObservedEvent) {
            guard event.name == "takeover.failed", let code = event.failureCode else { return }
            seen.withLock { $0.append(code) }
        }
    }
}
