import Foundation
import IdentityKit
import Testing

@testable import IdentityTesting
@testable import IdentityLocalServers

/// A storage in memory, which can be told to fail.
final class MemoryStorage: Sendable {
    struct Full: Error {}

    private let content = Locked<Data?>(nil)
    private let fails = Locked(false)

    var saved: Data? { content.withLock { $0 } }
    var text: String { String(decoding: saved ?? Data(), as: UTF8.self) }

    func put(_ text: String) { content.withLock { $0 = Data(text.utf8) } }
    func fail(_ fails: Bool) { self.fails.withLock { $0 = fails } }

    var storage: ServerStorage {
        ServerStorage(name: "the file", content: saved) { [content, fails] data in
            if fails.withLock({ $0 }) { throw Full() }
            content.withLock { $0 = data }
        }
    }
}

@Suite("Local servers that go on where they stopped", .stopsServers)
struct RestartTests {
    // MARK: ThunderID

    private static let issuer = "https://id.example.org"

    /// Runs `body` against a server that has what `memory` has.
    private func thunderID(
        _ memory: MemoryStorage, clock: ManualClock,
        configuring configure: (inout LocalThunderIDServer.Configuration) -> Void = { _ in },
        body: (ThunderIDVisitor) async throws -> Void
    ) async throws {
        var configuration = LocalThunderIDServer.Configuration { $0.issuer = Self.issuer }
        configure(&configuration)
        let server = try await LocalThunderIDServer.start(
            configuration: configuration, storage: memory.storage, time: clock.timeSource
        )
        .untilTestEnds()
        try await body(ThunderIDVisitor(server: server, clock: clock))
        await server.stop()
    }

    @Test("ThunderID keeps keys, refresh tokens and what was spent")
    func thunderIDTokens() async throws {
        let (memory, clock) = (MemoryStorage(), ManualClock())
        var answers: [ThunderIDVisitor.Answer] = []
        try await thunderID(memory, clock: clock) { (visitor: ThunderIDVisitor) async throws in
            answers.append(try await visitor.signIn())
            answers.append(try await visitor.refresh(answers[0]["refresh_token"]))
            try visitor.server.rotateSigningKey()
        }
        try await thunderID(memory, clock: clock) { (visitor: ThunderIDVisitor) async throws in
            let old = answers[1]["access_token"]?.stringValue
            #expect(try await visitor.get("/api/resource", bearer: old).status == 200)
            #expect(
                try await visitor.get("/oauth2/jwks")["keys"]?.arrayValue?.count == 3, "both that signed, and the other"
            )
            let third = try await visitor.refresh(answers[1]["refresh_token"])
            #expect(third.status == 200)
            #expect(try claims(of: third["access_token"])["email"] == "ada@example.org", "as known at the sign-in")
            #expect(visitor.server.report.tokens.count { $0.kind == .refresh } == 3)
            // The first one was spent before the restart.
            #expect(try await visitor.refresh(answers[0]["refresh_token"])["error"] == "invalid_grant")
            #expect(visitor.server.counters.familiesRevoked == 1)
        }
        try await thunderID(memory, clock: clock) { (visitor: ThunderIDVisitor) async throws in
            let revoked = answers[1]["access_token"]?.stringValue
            #expect(try await visitor.get("/api/resource", bearer: revoked).status == 401)
        }
    }

    @Test("ThunderID keeps who has registered and who has another password")
    func thunderIDUsers() async throws {
        let (memory, clock) = (MemoryStorage(), ManualClock())
        try await thunderID(memory, clock: clock) { (visitor: ThunderIDVisitor) async throws in
            let token = try await visitor.signIn()["access_token"]?.stringValue ?? ""
            let changed = try await visitor.post(
                "/users/me/update-credentials", json: ["attributes": ["password": "Another-1"]],
                headers: ["Authorization": "Bearer \(token)"])
            #expect(changed.status == 204)
        }
        // What the configuration says did not change, so what the server has counts.
        try await thunderID(memory, clock: clock) { (visitor: ThunderIDVisitor) async throws in
            let prompt = try await visitor.startSignIn()
            let answer = try await visitor.resume(prompt, ["action": "action_001", "inputs": visitor.credentials])
            #expect(answer.status == 200 && answer["assertion"] == nil)
        }
        // Now it says something else.
        try await thunderID(
            memory, clock: clock,
            configuring: {
                $0.user.password = "A-third-1"
                $0.additionalUsers = [.init(id: "another", username: "grace", password: "Hopper-1")]
            },
            body: { visitor in
                _ = try await visitor.nativeAssertion()
                #expect(visitor.server.report.people.map(\.name) == ["ada", "grace"])
            })
        // And now it says less.
        try await thunderID(
            memory, clock: clock, configuring: { $0.user.password = "A-third-1" },
            body: { visitor in #expect(visitor.server.report.people.map(\.name) == ["ada"]) })
    }

    // MARK: InsForge

    private func insForge(
        _ memory: MemoryStorage, clock: ManualClock, _ body: (InsForgeProbe) async throws -> Void
    ) async throws {
        let server = try await LocalInsForgeServer.start(
            configuration: .init {
                $0.user.id = "01900000-0000-7000-8000-0000000000b2"
                $0.anonKey = "anon_of-this-test"
            }, storage: memory.storage, time: clock.timeSource
        )
        .untilTestEnds()
        try await body(InsForgeProbe(server: server, clock: clock))
        await server.stop()
    }

    @Test("InsForge keeps its secret, its keys, who has signed up, and a rotated anonymous key")
    func insForge() async throws {
        let (memory, clock) = (MemoryStorage(), ManualClock())
        var (accessToken, refreshToken) = ("", "")
        var anonKey = ""
        try await insForge(memory, clock: clock) { probe in
            let session = try await probe.signUp("grace@example.org").json
            accessToken = session["accessToken"]?.stringValue ?? ""
            refreshToken = session["refreshToken"]?.stringValue ?? ""
            let rotated = try await probe.send(
                "POST", "/api/secrets/anon-key/rotate", [:], headers: ["x-api-key": probe.server.apiKey])
            anonKey = rotated.json["anonKey"]?.stringValue ?? ""
            try probe.server.rotateSigningKey()
        }
        #expect(anonKey != "anon_of-this-test")
        try await insForge(memory, clock: clock) { (probe: InsForgeProbe) async throws in
            #expect(probe.server.anonKey == anonKey)
            #expect(try await probe.currentSession(accessToken).status == 200)
            #expect(try await probe.refresh(refreshToken).status == 200)
            #expect(try await probe.signIn().status == 200)
            #expect(probe.server.report.people.map(\.email) == [probe.server.user.email, "grace@example.org"])
        }
    }

    // MARK: OpenID Connect

    @Test("OpenID Connect keeps the clients that registered themselves, and forgets those that it is told to forget")
    func registrations() async throws {
        let memory = MemoryStorage()
        let configuration = LocalOpenIDConnectServer.Configuration { $0.allowsRegistration = true }
        let first = try await LocalOpenIDConnectServer.start(configuration: configuration, storage: memory.storage)
        var request = URLRequest(url: first.url.appendingPathComponent("register"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(#"{"redirect_uris": ["http://127.0.0.1:1/callback"]}"#.utf8)
        let (body, response) = try await DefaultTransport.make().data(for: request)
        #expect(response.statusCode == 201)
        let client = try JSONValue(parsing: body)
        await first.stop()

        let second = try await LocalOpenIDConnectServer.start(configuration: configuration, storage: memory.storage)
        #expect(second.registeredClients == 1)
        var parts = URLComponents(url: second.url.appendingPathComponent("register"), resolvingAgainstBaseURL: false)
        parts?.queryItems = [URLQueryItem(name: "client_id", value: client["client_id"]?.stringValue)]
        let read = try URLRequest(url: #require(parts?.url))
            .bearing(#require(client["registration_access_token"]?.stringValue))
        let (again, known) = try await DefaultTransport.make().data(for: read)
        #expect(known.statusCode == 200)
        #expect(try JSONValue(parsing: again)["client_secret"] == client["client_secret"])
        second.forgetRegisteredClients()
        await second.stop()

        let third = try await LocalOpenIDConnectServer.start(configuration: configuration, storage: memory.storage)
        #expect(third.registeredClients == 0)
        await third.stop()
    }

    @Test("OpenID Connect keeps keys, tokens, sessions and consent, and no token's text")
    func openIDConnect() async throws {
        let (memory, clock) = (MemoryStorage(), ManualClock())
        let configuration = LocalOpenIDConnectServer.Configuration { $0.issuer = "https://id.example.org" }
        let first = try await LocalOpenIDConnectServer.start(
            configuration: configuration, storage: memory.storage, time: clock.timeSource)
        let client = PlainOpenIDClient(first)
        let tokens = try await client.tokens()
        let refreshToken = try #require(tokens["refresh_token"])
        let keys = try await client.get("/jwks").json
        await first.stop()
        #expect(!memory.text.contains(refreshToken))
        #expect(!memory.text.contains(tokens["access_token"] ?? "-"))

        let second = try await LocalOpenIDConnectServer.start(
            configuration: configuration, storage: memory.storage, time: clock.timeSource)
        let again = PlainOpenIDClient(second)
        #expect(Set(second.report.tokens.map(\.kind)) == [.access, .refresh, .id])
        #expect(try await again.get("/jwks").json == keys)
        let form = ["grant_type": "refresh_token", "client_id": "swift-app", "refresh_token": refreshToken]
        #expect(try await again.post("/token", form).status == 200)
        #expect(try await again.post("/token", form).error == "invalid_grant", "spent")
        second.revokeAllFamilies()
        #expect(second.report.tokens.allSatisfy { $0.state == .revoked })
        await second.stop()

        let third = try await LocalOpenIDConnectServer.start(
            configuration: configuration, storage: memory.storage, time: clock.timeSource)
        #expect(third.report.tokens.allSatisfy { $0.state == .revoked } && !third.report.tokens.isEmpty)
        await third.stop()
    }

    @Test("What has expired is not kept for ever")
    func forgetting() async throws {
        let (memory, clock) = (MemoryStorage(), ManualClock())
        try await thunderID(memory, clock: clock) { (visitor: ThunderIDVisitor) async throws in
            _ = try await visitor.signIn()
            #expect(memory.text.contains("endsAt"))
            clock.advance(by: .seconds(2 * 86_400))
            _ = try await visitor.get("/oauth2/jwks")
            #expect(!memory.text.contains("endsAt"))
        }
    }

    // MARK: What goes wrong

    @Test(
        "What cannot be read stops the start and stays as it is",
        arguments: [
            ("{", "it is no JSON"), (#"{"version": 99}"#, "newer version"), (#"{"version": 1}"#, "content is missing"),
            (#"{"version": 1, "content": {"keys": 3}}"#, "content.keys is not what it should be"),
        ])
    func unusable(text: String, expected: String) async throws {
        let memory = MemoryStorage()
        memory.put(text)
        let error = await #expect(throws: SavedStateError.self) {
            _ = try await LocalThunderIDServer.start(storage: memory.storage)
        }
        #expect(error?.message.hasPrefix("the file cannot be used: ") == true)
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
        #expect(memory.text == text)
    }

    @Test("A malformed key is told as a fault of what was saved")
    func malformedKey() async throws {
        let (memory, clock) = (MemoryStorage(), ManualClock())
        try await thunderID(memory, clock: clock, body: { _ in })
        var document = try JSONValue(parsing: memory.saved ?? Data())
        var key = try #require(document["content"]?["keys"]?["decoy"]?["keys"]?.arrayValue?.first)
        key["key"]?["content"] = "AAAA"
        document["content"]?["keys"]?["decoy"]?["keys"] = [key]
        memory.put(String(decoding: try JSONEncoder().encode(document), as: UTF8.self))
        await #expect(throws: SavedStateError(name: "the file", detail: "a key in it is malformed")) {
            try await thunderID(memory, clock: clock, body: { _ in })
        }
    }

    @Test("A server that cannot save promises nothing, and makes up for it later")
    func cannotSave() async throws {
        let (memory, clock) = (MemoryStorage(), ManualClock())
        try await thunderID(memory, clock: clock) { (visitor: ThunderIDVisitor) async throws in
            let tokens = try await visitor.signIn()
            memory.fail(true)
            #expect(try await visitor.refresh(tokens["refresh_token"]).status == 503)
            // Nothing has changed here, but what has changed before is not saved yet.
            #expect(try await visitor.get("/oauth2/jwks").status == 503)
            memory.fail(false)
            #expect(try await visitor.get("/oauth2/jwks").status == 200)
            #expect(memory.text.contains("spentAt"))
        }
    }
}
