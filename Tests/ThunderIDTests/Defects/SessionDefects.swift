import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import TestSupport
import Testing
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the official client does wrong with sessions, users and settings, and this one does right.
@Suite struct SessionDefects {
    private static let grace = LocalThunderIDServer.User(
        id: "01900000-0000-7000-8000-0000000000b2", username: "grace", attributes: ["email": "grace@example.org"])
    private static var graceSignsIn: [String: String] {
        ["username": "grace", "password": grace.password.reveal()]
    }

    @Test("Defect 18: no error and no description shows a password or a token")
    func secrets() async throws {
        let fixture = try await ClientFixture { $0.nativeSession = .assertion }
        var shown: [String] = []
        let first = try await fixture.client.signIn(payload: .init(), request: fixture.request)
        let payload = EmbeddedSignInPayload(
            flowId: first.flowId, actionId: "action_001", inputs: ["username": "ada", "password": "planted-password"])
        let echo: JSONValue = [
            "code": "XYZ-1", "message": "planted-password",
            "description": "eyJplantedTokenplantedTokenplantedToken1234",
        ]
        fixture.server.http.fail(.answer(.json(echo, status: 400)), pathPrefix: "/flow/execute")
        do {
            _ = try await fixture.client.signIn(payload: payload, request: fixture.request)
        } catch let error as IAMError {
            shown += ["\(error.message.replacing("planted-password", with: ""))", String(reflecting: payload)]
            #expect(!error.message.contains("plantedToken"))
        }
        let end = try await fixture.signIn()
        shown += ["\(end)", String(reflecting: end), "\(first)", "\(payload)"]
        let assertion = try #require(end.assertion)
        #expect(!shown.contains { $0.contains("planted-password") || $0.contains(assertion) })
        await fixture.server.stop()
    }

    @Test("Defect 19: an assertion is kept with its expiry and in place of the whole session before")
    func assertionSession() async throws {
        let fixture = try await ClientFixture(configuration: .init(additionalUsers: [Self.grace]))
        try await fixture.signIn()
        let native = try await fixture.restarted { $0.nativeSession = .assertion }
        try await fixture.signIn(native, Self.graceSignsIn)
        #expect(try await native.getUser().sub == Self.grace.id)
        #expect(try await native.sessionEnd() == fixture.clock.now + 3600)
        fixture.clock.advance(by: .seconds(3600))
        // Nothing of the first person's is left to refresh with.
        #expect(await iamError { try await native.getAccessToken() }?.code == .sessionExpired)
        #expect(fixture.grants("refresh_token").isEmpty)
        await fixture.server.stop()
    }

    @Test("Defect 20: a flow that ends without an assertion begins and changes no session")
    func withoutAssertion() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let token = try await fixture.client.getAccessToken()
        let request = EmbeddedFlowRequestConfig(
            applicationId: fixture.server.application.id, flowType: .registration)
        var step = try await fixture.client.signUp(request: request)
        step = try await fixture.client.signUp(
            payload: .init(
                flowId: step.flowId, actionId: step.actions.first?.id,
                inputs: ["username": "new", "password": "New-password-1"]))
        step = try await fixture.client.signUp(
            payload: .init(
                flowId: step.flowId, actionId: step.actions.first?.id, inputs: ["email": "new@example.org"]))
        #expect(step.flowStatus == .complete && !step.establishesSession && step.assertion == nil)
        #expect(try await fixture.client.getAccessToken() == token)
        await fixture.server.stop()
    }

    @Test("Defect 21: there is no session after its expiry or its revocation")
    func isSignedIn() async throws {
        let fixture = try await ClientFixture { $0.nativeSession = .assertion }
        try await fixture.signIn()
        #expect(try await fixture.client.isSignedIn())
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.client.isSignedIn() == false)
        let client = try await fixture.restarted()
        try await fixture.signIn(client)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await client.isSignedIn())
        fixture.server.revokeFamilies(ofUser: fixture.server.user.id)
        _ = try? await client.getAccessToken()
        #expect(try await client.isSignedIn() == false)
        await fixture.server.stop()
    }

    @Test("Defect 22: the user is the one of this session, from a verified token or the server")
    func user() async throws {
        let fixture = try await ClientFixture(configuration: .init(additionalUsers: [Self.grace]))
        try await fixture.signIn()
        #expect(try await fixture.client.getUser().sub == fixture.server.user.id)
        try await fixture.signIn(nil, Self.graceSignsIn)
        #expect(try await fixture.client.getUser().sub == Self.grace.id)
        try await fixture.client.signOut()
        #expect(await iamError { try await fixture.client.getUser() }?.code == .sessionExpired)
        await fixture.server.stop()
    }

    @Test("Defect 23: the profile is read and written where the server has it, by reading, changing and replacing")
    func profile() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let user = try await fixture.client.updateUserProfile(payload: ["given_name": "Augusta"])
        #expect(user.claims?["given_name"]?.value as? String == "Augusta")
        let calls = fixture.wire.requests(to: "/users/me")
        #expect(calls.map(\.method) == ["GET", "PUT"] && calls.allSatisfy { $0.status == 200 })
        #expect(calls.last?.json?["attributes"]?["email"] == "ada@example.org")
        await fixture.server.stop()
    }

    @Test("Defect 24: a native app without a client identifier has a profile too")
    func nativeProfile() async throws {
        let fixture = try await ClientFixture {
            $0 = ThunderIDConfig(baseUrl: $0.baseUrl, allowsLoopbackHTTP: true)
        }
        try await fixture.signIn()
        #expect(try await fixture.client.getUserProfile().id == fixture.server.user.id)
        #expect(try await fixture.client.updateUserProfile(payload: ["given_name": "A"]).sub == fixture.server.user.id)
        await fixture.server.stop()
    }

    @Test("Defect 26: a server that cannot prove who it is gets no request", .guards("end-to-end TLS"))
    func tls() async throws {
        let plain = try await LocalHTTPServer.start { _ in .json([:]) }
        let client = ThunderIDClient(environment: IdentityEnvironment(store: MemoryTokenStore()))
        let address = plain.url.absoluteString.replacing("http://", with: "https://")
        try await client.initialize(config: ThunderIDConfig(baseUrl: address, applicationId: "app"))
        let error = await iamError { try await client.signIn(payload: .init(), request: .init(applicationId: "app")) }
        #expect(error?.code == .networkError)
        #expect(plain.log.isEmpty)
        await plain.stop()
    }

    @Test("Defect 37: what goes into the address of the texts is encoded")
    func metaQuery() async throws {
        let fixture = try await ClientFixture()
        _ = try? await fixture.client.flowTexts(applicationId: "a b&type=OU#x", language: "de-DE")
        let call = try #require(fixture.wire.requests(to: "/flow/meta").first)
        #expect(call.parameter("id") == "a b&type=OU#x" && call.parameter("type") == "APP")
        #expect(call.parameter("language") == "de-DE")
        let texts = try await fixture.client.flowTexts(applicationId: fixture.server.application.id)
        #expect(texts.isRegistrationFlowEnabled == true && texts.language == "en-US")
        await fixture.server.stop()
    }

    @Test("Defect 38: reinitializing changes what it names and keeps the rest")
    func reInitialize() async throws {
        let fixture = try await ClientFixture {
            $0.applicationId = "app"
            $0.bindsTokens = false
            $0.vendor = "acme"
        }
        try await fixture.client.reInitialize(clientId: "other")
        var config = try fixture.client.getConfiguration()
        #expect(config.clientId == "other" && config.baseUrl == fixture.server.url.absoluteString)
        try await fixture.client.reInitialize(baseUrl: "https://127.0.0.1:1")
        config = try fixture.client.getConfiguration()
        #expect(config.clientId == "other" && config.baseUrl == "https://127.0.0.1:1")
        #expect(config.scopes == ["openid", "profile", "email"] && config.applicationId == "app")
        #expect(config.afterSignInUrl != nil && config.afterSignOutUrl != nil && config.vendor == "acme")
        await fixture.server.stop()
    }

    @Test("Defect 39: a stored session is replaced in one step, never absent in between")
    func atomicStorage() async throws {
        let fixture = try await ClientFixture()
        let storage = WatchedStorage()
        let client = ThunderIDClient(
            environment: IdentityEnvironment(store: MemoryTokenStore(), time: fixture.clock.dates))
        try await client.initialize(config: fixture.config(), storage: storage)
        try await fixture.signIn(client)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await client.getAccessToken()
        #expect(storage.deletions.withLock { $0 } == 0)
        await fixture.server.stop()
    }

    @Test("Defect 42: plain http is for this machine, and only for who asks for it")
    func http() async throws {
        for (url, allows, isFine) in [
            ("http://localhost:8090", true, true), ("http://127.0.0.1:8090", true, true),
            ("http://localhost:8090", false, false), ("http://id.example.com", true, false),
        ] {
            let config = ThunderIDConfig(baseUrl: url, allowsLoopbackHTTP: allows)
            let client = ThunderIDClient()
            let result = try? await client.initialize(config: config, storage: InMemoryStorageAdapter())
            #expect((result == true) == isFine, "\(url)")
        }
    }
}

/// A storage that counts what is deleted.
private final class WatchedStorage: StorageAdapter {
    let deletions = Locked(0)
    private let base = InMemoryStorageAdapter()

    func store(key: String, value: String) { base.store(key: key, value: value) }
    func retrieve(key: String) -> String? { base.retrieve(key: key) }
    func delete(key: String) {
        deletions.withLock { $0 += 1 }
        base.delete(key: key)
    }
    func clear() { deletions.withLock { $0 += 1 } }
}
