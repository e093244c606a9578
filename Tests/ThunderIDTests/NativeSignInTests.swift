import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct NativeSignInTests {
    @Test("The right password signs in, after a wrong one was refused in plain words")
    func wrongThenRight() async throws {
        let fixture = try await ThunderIDFixture()
        let prompter = ScriptedPrompter(
            ["username": Secret(fixture.server.user.username), "password": "wrong"], fixture.credentials)
        let provider = try fixture.provider(prompter: prompter)
        #expect(try await provider.activeAccount(scopes: [], deviceToken: "d") == fixture.account)
        #expect(prompter.prompts.map(\.problem) == [nil, "The user name or the password is wrong. Try again."])
        #expect(prompter.prompts.first?.fields.map(\.kind) == [.username, .password])
        await fixture.server.stop()
    }

    @Test("An unknown user reads exactly like a wrong password")
    func unknownUser() async throws {
        let fixture = try await ThunderIDFixture()
        let prompter = ScriptedPrompter(
            ["username": "nobody", "password": "x"],
            ["username": Secret(fixture.server.user.username), "password": "x"])
        await #expect(throws: CancellationError.self) {
            try await fixture.provider(prompter: prompter).signIn(scopes: [], deviceToken: "d")
        }
        #expect(prompter.prompts.count == 3)
        #expect(prompter.prompts[1] == prompter.prompts[2])
        await fixture.server.stop()
    }

    @Test("The session is the full one: its token is good and can be refreshed")
    func refreshable() async throws {
        let fixture = try await ThunderIDFixture()
        let provider = try await fixture.signedIn()
        let token = try await provider.accessToken(for: fixture.account, scopes: ["openid"])
        #expect(try await fixture.status(of: "oauth2/userinfo", token: token) == 200)
        fixture.clock.advance(by: .seconds(3600))
        let refreshed = try await provider.accessToken(for: fixture.account, scopes: ["openid"])
        #expect(refreshed != token)
        #expect(try await fixture.status(of: "oauth2/userinfo", token: refreshed) == 200)
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test("With an application identifier alone the assertion is the session, for one hour")
    func assertionOnly() async throws {
        let fixture = try await ThunderIDFixture()
        let provider = try fixture.provider(clientID: .some(nil), prompter: ScriptedPrompter(fixture.credentials))
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        let assertion = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(try await fixture.status(of: "users/me", token: assertion) == 200)
        fixture.clock.advance(by: .seconds(3600))
        let error = await #expect(throws: SessionError.self) {
            try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect(error?.failureCode == "session_ended")
        #expect(fixture.requests(to: "/oauth2/token") == 0)
        await fixture.server.stop()
    }

    @Test("A field the step did not ask for is not sent")
    func onlyAskedFields() async throws {
        let fixture = try await ThunderIDFixture()
        // A number where only strings are allowed would be refused; an unasked field must not even be there.
        var values = fixture.credentials
        values["one-time-code"] = "123456"
        let prompter = ScriptedPrompter(values)
        let recorded = Locked<[String]>([])
        let transport = RecordingTransport { body in recorded.withLock { $0.append(body) } }
        let settings = ThunderIDSettings(
            baseURL: try ServerURL(fixture.server.url.absoluteString, allowsLoopbackHTTP: true),
            applicationID: fixture.server.application.id, allowsLoopbackHTTP: true)
        let environment = IdentityEnvironment(
            store: fixture.store, transport: transport, prompter: prompter, time: fixture.clock.dates)
        let provider = try ThunderIDProvider(
            settings: settings, context: ProviderContext(name: "work", environment: environment))
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        #expect(recorded.withLock { $0.contains { $0.contains("Enchantress-1") } })
        #expect(!recorded.withLock { $0.contains { $0.contains("one-time-code") } })
        await fixture.server.stop()
    }

    @Test("An application that may not sign in natively says what to do")
    func notPermitted() async throws {
        let fixture = try await ThunderIDFixture(
            configuration: .init(application: .init(type: .browser)))
        let error = await #expect(throws: IAMError.self) {
            try await fixture.provider(clientID: .some(nil), prompter: ScriptedPrompter(fixture.credentials))
                .signIn(scopes: [], deviceToken: "d")
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.serverCode == "FES-1010")
        await fixture.server.stop()
    }

    @Test(
        "A broken response is a typed error",
        arguments: [
            (Fault.answer(.text("<html>", status: 502)), IAMErrorCode.serverError),
            (.answer(.text("not json")), .serverError), (.answer(.json(["flowStatus": "COMPLETE"])), .serverError),
            (.truncateAnswer, .networkError), (.dropAnswer, .networkError),
        ])
    func brokenAnswers(fault: Fault, code: IAMErrorCode) async throws {
        let fixture = try await ThunderIDFixture()
        fixture.server.http.fail(fault, pathPrefix: "/flow/execute")
        let error = await #expect(throws: IAMError.self) {
            try await fixture.provider(prompter: ScriptedPrompter(fixture.credentials))
                .signIn(scopes: [], deviceToken: "d")
        }
        #expect(error?.code == code)
        #expect(error?.failureClass == .transient)
        await fixture.server.stop()
    }

    @Test("Nothing listening is a network error that names the server")
    func refusedConnection() async throws {
        let fixture = try await ThunderIDFixture()
        await fixture.server.stop()
        let error = await #expect(throws: IAMError.self) {
            try await fixture.provider(prompter: ScriptedPrompter(fixture.credentials))
                .signIn(scopes: [], deviceToken: "d")
        }
        #expect(error?.code == .networkError)
        #expect(error?.message.contains(fixture.server.url.authority) == true)
    }

    @Test("Another address than a ThunderID server's is a wrong setting, not a server in trouble")
    func wrongAddress() async throws {
        let fixture = try await ThunderIDFixture()
        fixture.server.http.fail(.answer(.text("<html>", status: 404)), pathPrefix: "/flow/execute")
        let error = await #expect(throws: IAMError.self) {
            try await fixture.provider(clientID: .some(nil), prompter: ScriptedPrompter(fixture.credentials))
                .signIn(scopes: [], deviceToken: "d")
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("baseURL") == true)
        await fixture.server.stop()
    }

    @Test("The chosen action is the one that is submitted")
    func chosenAction() async throws {
        let fixture = try await ThunderIDFixture()
        let prompter = ScriptedPrompter([
            PromptAnswer(values: fixture.credentials, action: "action_forgot_password")
        ])
        await #expect(throws: CancellationError.self) {
            try await fixture.provider(prompter: prompter).signIn(scopes: [], deviceToken: "d")
        }
        // The recovery flow knows the user name already and asks only how to go on.
        #expect(prompter.prompts.last?.actions.map(\.identifier).contains("action_submit_username") == true)
        await fixture.server.stop()
    }

    @Test("An action that was not offered is refused instead of replaced by another")
    func inventedAction() async throws {
        let fixture = try await ThunderIDFixture()
        let prompter = ScriptedPrompter([PromptAnswer(values: fixture.credentials, action: "action_deny")])
        let error = await #expect(throws: IAMError.self) {
            try await fixture.provider(prompter: prompter).signIn(scopes: [], deviceToken: "d")
        }
        #expect(error?.code == .invalidInput)
        #expect(fixture.requests(to: "/flow/execute") == 1)
        await fixture.server.stop()
    }

    @Test(
        "A value that breaks a rule is asked for again, in words",
        arguments: [
            ("validation.minLength.invalid", "This is too short."),
            ("validation.maxLength.invalid", "This is too long."),
            ("validation.pattern.invalid", "This does not have the expected form."),
            ("Use your work address.", "Use your work address."),
        ])
    func brokenRule(message: String, shown: String) async throws {
        let fixture = try await ThunderIDFixture()
        fixture.server.http.fail(
            .answer(
                .json([
                    "executionId": "x", "flowStatus": "INCOMPLETE", "type": "VIEW", "challengeToken": "t",
                    "data": [
                        "inputs": [["identifier": "email", "type": "EMAIL_INPUT", "required": true]],
                        "fieldErrors": [["identifier": "email", "message": .string(message)]],
                    ],
                ])), pathPrefix: "/flow/execute")
        let prompter = ScriptedPrompter()
        await #expect(throws: CancellationError.self) {
            try await fixture.provider(prompter: prompter).signIn(scopes: [], deviceToken: "d")
        }
        #expect(prompter.prompts.first?.fields.map(\.problem) == [shown])
        #expect(prompter.prompts.first?.fields.map(\.kind) == [.email])
        await fixture.server.stop()
    }

    @Test("A flow that ends without an assertion begins no session")
    func noAssertion() async throws {
        let fixture = try await ThunderIDFixture()
        fixture.server.http.fail(
            .answer(.json(["executionId": "x", "flowStatus": "COMPLETE", "data": [:]])), pathPrefix: "/flow/execute")
        let error = await #expect(throws: IAMError.self) {
            try await fixture.provider(prompter: ScriptedPrompter(fixture.credentials))
                .signIn(scopes: [], deviceToken: "d")
        }
        #expect(error?.code == .authenticationFailed)
        await fixture.server.stop()
    }
}

/// The default transport, with an ear on the bodies.
private struct RecordingTransport: HTTPTransport {
    let base = DefaultTransport.make()
    let listen: @Sendable (String) -> Void

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        listen(String(decoding: request.httpBody ?? Data(), as: UTF8.self))
        return try await base.data(for: request)
    }
}
