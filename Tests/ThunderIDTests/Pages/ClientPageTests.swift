import Foundation
import IdentityLocalServers
import Testing
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Code as the page about the client has it: it compiles without a change, and runs. Nothing but the address, the
/// permission to speak plain http to this machine and the storage differ.
@Suite struct ClientPageTests {
    @Test("Usage: a client, and its initialization with the five arguments of the page")
    func usage() async throws {
        let server = try await LocalThunderIDServer.start()
        let client = ThunderIDClient()
        try await client.initialize(
            config: ThunderIDConfig(
                baseUrl: server.url.absoluteString,
                clientId: "swift-demo",
                scopes: ["openid", "profile", "email"],
                afterSignInUrl: "com.example.app://callback",
                afterSignOutUrl: "com.example.app://signed-out",
                allowsLoopbackHTTP: true
            ), storage: InMemoryStorageAdapter())
        #expect(try client.getConfiguration().baseUrl == server.url.absoluteString)
        await server.stop()
    }

    @Test("Every signature of the page, with its argument labels and its types")
    func signatures() async throws {
        let fixture = try await ClientFixture()
        let client = fixture.client
        let initialize: (ThunderIDConfig, (any StorageAdapter)?) async throws -> Bool = client.initialize(
            config:storage:)
        let reInitialize: (String?, String?) async throws -> Bool = client.reInitialize(baseUrl:clientId:)
        let getConfiguration: () throws -> ThunderIDConfig = client.getConfiguration
        let signIn: (EmbeddedSignInPayload, EmbeddedFlowRequestConfig, String?) async throws -> EmbeddedFlowResponse =
            client.signIn(payload:request:sessionId:)
        let signUp: (EmbeddedSignInPayload?, EmbeddedFlowRequestConfig?) async throws -> EmbeddedFlowResponse =
            client.signUp(payload:request:)
        let buildSignInURL: (SignInOptions?) throws -> URL = client.buildSignInURL(options:)
        let handleRedirectCallback: (URL) async throws -> User = client.handleRedirectCallback(url:)
        let isSignedIn: (String?) async throws -> Bool = client.isSignedIn(sessionId:)
        let signOut: (SignOutOptions?, String?) async throws -> String = client.signOut(options:sessionId:)
        let clearSession: (String?) -> Void = client.clearSession(sessionId:)
        let isLoading: () -> Bool = client.isLoading
        let getAccessToken: (String?) async throws -> String = client.getAccessToken(sessionId:)
        let exchangeToken: (TokenExchangeRequestConfig, String?) async throws -> TokenResponse =
            client.exchangeToken(config:sessionId:)
        _ = (initialize, reInitialize, getConfiguration, signIn, signUp, buildSignInURL, handleRedirectCallback)
        _ = (isSignedIn, signOut, clearSession, isLoading, getAccessToken, exchangeToken)
        await fixture.server.stop()
    }

    @Test("The example that decodes an access token")
    func decode() async throws {
        let fixture = try await ClientFixture()
        let client = fixture.client
        try await fixture.signIn()
        let accessToken = try await client.getAccessToken()
        let claims: [String: AnyCodable] = try client.decodeJwtToken(accessToken)
        let sub = claims["sub"]?.value as? String
        #expect(sub == fixture.server.user.id)
        await fixture.server.stop()
    }

    @Test("The example that handles errors")
    func errors() async throws {
        let fixture = try await ClientFixture()
        let client = fixture.client
        var printed: [String] = []
        do {
            let user = try await client.getUser()
            printed.append(user.sub)
        } catch let error as IAMError {
            printed.append("[\(error.code.rawValue)] \(error.message)")
        } catch {
            printed.append("Unexpected error: \(error)")
        }
        #expect(printed == ["[SESSION_EXPIRED] Nobody is signed in. Sign in first."])
        await fixture.server.stop()
    }

    @Test("The loop that the page describes, as an app with its own screens writes it")
    func loop() async throws {
        let fixture = try await ClientFixture()
        let client = fixture.client
        let request = EmbeddedFlowRequestConfig(applicationId: fixture.server.application.id)
        var payload = EmbeddedSignInPayload(flowId: nil, actionId: "", inputs: [:])
        var steps = 0
        loop: while true {
            let response = try await client.signIn(payload: payload, request: request)
            switch response.flowStatus {
            case .promptOnly:
                steps += 1
                var inputs: [String: String] = [:]
                for input in response.inputs { inputs[input.name] = fixture.credentials[input.name] }
                payload = EmbeddedSignInPayload(
                    flowId: response.flowId, actionId: response.actions[0].id, inputs: inputs)
            case .complete:
                break loop
            case .error:
                Issue.record("\(response.failureReason ?? "")")
                break loop
            }
        }
        #expect(steps == 1)
        #expect(try await client.isSignedIn())
        #expect(try await client.signOut() == "com.example.app://signed-out")
        await fixture.server.stop()
    }

    @Test("A profile is read and written from the main actor, with values of the app's own")
    @MainActor func mainActor() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let payload: [String: Any] = ["given_name": "Augusta"]
        let user = try await fixture.client.updateUserProfile(payload: payload)
        #expect(user.claims?["given_name"]?.value as? String == payload["given_name"] as? String)
        let profile = try await fixture.client.getUserProfile()
        #expect(profile.id == user.sub && profile.claims["given_name"]?.value as? String == "Augusta")
        await fixture.server.stop()
    }

    @Test("A storage of the app's own, with methods that do not throw")
    func storage() async throws {
        final class Shelf: StorageAdapter {
            private let base = InMemoryStorageAdapter()
            func store(key: String, value: String) { base.store(key: key, value: value) }
            func retrieve(key: String) -> String? { base.retrieve(key: key) }
            func delete(key: String) { base.delete(key: key) }
            func clear() { base.clear() }
        }
        let fixture = try await ClientFixture()
        let shelf = Shelf()
        for isFirst in [true, false] {
            let client = ThunderIDClient()
            try await client.initialize(config: fixture.config(), storage: shelf)
            if isFirst { try await fixture.signIn(client) }
            #expect(try await client.getUser().sub == fixture.server.user.id)
        }
        await fixture.server.stop()
    }
}
