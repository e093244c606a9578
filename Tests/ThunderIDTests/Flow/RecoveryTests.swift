import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing
import ThunderID

/// A forgotten password, in front of the framework's prompter.
@Suite struct RecoveryTests {
    private typealias Server = ScriptedFlowServer

    /// Signs in by "I forgot my password", and answers the later prompts with `answers`.
    private func recover(
        _ fixture: ThunderIDFixture, _ prompter: some FlowPrompter
    ) async -> (any Error)? {
        do {
            _ = try await fixture.provider(prompter: prompter).signIn(scopes: [], deviceToken: "d")
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "The link or the code from the mail is asked for, both are taken, and the end says that the password is changed"
    )
    func recovers() async throws {
        for pastesLink in [true, false] {
            let fixture = try await ThunderIDFixture()
            let person = MailReader(fixture.server, pastesLink: pastesLink)
            let error = await recover(fixture, person)
            #expect((error as? any IdentityFailure)?.failureCode == "password_changed")
            #expect((error as? any IdentityFailure)?.message == "The password is changed. Sign in.")
            let link = try #require(person.prompts.first { $0.fields.first?.label.contains("mail") == true })
            #expect(link.fields.map(\.label) == ["The link or code from the mail"])
            let shown = person.prompts.map { "\($0.message ?? "") \($0.fields.map(\.label)) \($0.problem ?? "")" }
            #expect(!shown.contains { $0.lowercased().contains("invite") })
            #expect(try await fixture.provider().silentAccount(scopes: [], deviceToken: "d").account == nil)
            let next = try fixture.provider(
                prompter: ScriptedPrompter(["username": "ada", "password": "A-new-one-2"]))
            #expect(try await next.signIn(scopes: [], deviceToken: "d") == fixture.account)
            await fixture.server.stop()
        }
    }

    @Test(
        "A wrong code ends the server's flow, which begins anew and says so; a link of another request is not sent")
    func wrongCode() async throws {
        let fixture = try await ThunderIDFixture()
        let person = MailReader(
            fixture.server, pastesLink: true,
            before: ["wrong", "https://id.example/gate/invite?executionId=another&inviteToken=t", " "])
        let error = await recover(fixture, person)
        #expect((error as? any IdentityFailure)?.failureCode == "password_changed")
        let problems = person.prompts.filter { $0.fields.first?.label.contains("mail") == true }.map(\.problem)
        try #require(problems.count == 4)
        #expect(problems[0] == nil && problems[1] == nil && problems.dropFirst(2).allSatisfy { $0 != nil })
        let told = person.prompts.filter { $0.problem?.contains("has ended this request") == true }
        #expect(told.count == 1 && told.first?.fields.first?.label.contains("mail") == false)
        #expect(fixture.server.messages.count == 2)
        await fixture.server.stop()
    }

    @Test("In a recovery of its own the right code still works after a wrong one")
    func wrongCodeAlone() async throws {
        let fixture = try await ClientFixture()
        let request = EmbeddedFlowRequestConfig(
            applicationId: fixture.server.application.id, flowType: .recovery)
        func go(_ payload: EmbeddedSignInPayload) async throws -> EmbeddedFlowResponse {
            try await fixture.client.signIn(payload: payload, request: request)
        }
        let first = try await go(.init())
        _ = try await go(
            .init(
                flowId: first.flowId, actionId: first.actions.first?.id,
                inputs: ["username": fixture.server.user.username]))
        let link = try #require(fixture.server.messages.last?.link.flatMap(FlowLink.init))
        let refused = try await go(.init(flowId: link.flowId, inputs: ["inviteToken": "wrong"]))
        #expect(refused.error?.code == .invitationCodeInvalid)
        #expect(try await go(link.payload).inputs.map(\.name) == ["password"])
        await fixture.server.stop()
    }

    @Test("A recovery within an authorization that a wrong code has ended says so in another language, too")
    func translatedEnd() async throws {
        let fixture = try await ClientFixture()
        func go(_ payload: EmbeddedSignInPayload) async throws -> EmbeddedFlowResponse {
            try await fixture.client.signIn(payload: payload, request: fixture.request)
        }
        let first = try await go(.init())
        let asked = try await go(.init(flowId: first.flowId, actionId: "action_forgot_password", inputs: [:]))
        _ = try await go(
            .init(
                flowId: asked.flowId, actionId: asked.actions.first?.id,
                inputs: ["username": fixture.server.user.username]))
        let link = try #require(fixture.server.messages.last?.link.flatMap(FlowLink.init))
        let ended = try await go(.init(flowId: link.flowId, inputs: ["inviteToken": "wrong"]))
        #expect(ended.error?.code == .invitationCodeExpired)
        #expect(await fixture.client.translated(ended).error == ended.error)
        await fixture.server.stop()
    }

    @Test("The code is not asked for without end")
    func endless() async throws {
        let fixture = try await ThunderIDFixture()
        let person = MailReader(fixture.server, pastesLink: true, before: Array(repeating: "wrong", count: 50))
        let error = await recover(fixture, person)
        #expect((error as? IAMError)?.code == .invitationCodeExpired)
        await fixture.server.stop()
    }

    @Test("A recovery that finds no user does not say that the password is wrong")
    func unknownUser() async throws {
        let username = Server.asks([("username", "TEXT_INPUT")])
        for code in ["FET-1001", "FET-1003"] {
            let server = try await Server([username, Server.failed(code), username, Server.retried(username, code)])
            let first = try await server.submit(.init(), .recovery)
            let failed = try await server.submit(
                .init(flowId: first.flowId, actionId: "go", inputs: ["username": "nobody"]), .recovery)
            let second = try await server.submit(.init(), .recovery)
            let retried = try await server.submit(
                .init(flowId: second.flowId, actionId: "go", inputs: ["username": "nobody"]), .recovery)
            for error in [failed.error, retried.error] {
                #expect(error?.code == .authenticationFailed)
                #expect(error?.message.contains("password") == false, "\(error?.message ?? "")")
            }
            await server.stop()
        }
    }

    @Test("An unknown user and a wrong password at one step read the same")
    func sameWords() async throws {
        let credentials = Server.asks([("username", "TEXT_INPUT"), ("password", "PASSWORD_INPUT")])
        let messages = try await ["FET-1001", "FET-1005"].asyncMap { code in
            let server = try await Server([credentials, Server.failed(code)])
            let first = try await server.submit()
            let payload = EmbeddedSignInPayload(
                flowId: first.flowId, actionId: "go", inputs: ["username": "a", "password": "b"])
            let message = try await server.submit(payload).error?.message
            await server.stop()
            return message
        }
        #expect(messages[0] == messages[1] && messages[0]?.contains("password") == true)
    }

    @Test("Only a new password that the server has accepted is a changed one")
    func refusedPassword() async throws {
        let link = Server.step(["inputs": [["identifier": "inviteToken", "type": "HIDDEN", "required": true]]])
        let password = Server.asks([("password", "PASSWORD_INPUT")])
        let code = Server.asks([("otp", "OTP_INPUT")])
        func isChanged(_ steps: [JSONValue], _ submissions: [[String: String]]) async throws -> Bool {
            let server = try await Server(steps + [Server.complete])
            var flow = FlowState()
            for inputs in [[:]] + submissions {
                let payload = EmbeddedSignInPayload(flowId: flow.step?.flowId, inputs: inputs)
                _ = flow.submission(of: payload)
                flow.take(try await server.submit(payload, .recovery))
            }
            await server.stop()
            if case .passwordChanged? = flow.outcome { return true }
            return false
        }
        let refused = try await isChanged(
            [link, password, Server.retried(password, "FET-1044")], [["inviteToken": "t"], ["password": "p"], [:]])
        let accepted = try await isChanged(
            [link, password, code, Server.retried(code, "FET-1008")],
            [["inviteToken": "t"], ["password": "p"], ["otp": "1"], ["otp": "2"]])
        #expect(!refused && accepted)
    }

    @Test("A hidden value is never asked for under its raw name")
    func rawNames() async throws {
        let server = try await Server([
            Server.step([
                "inputs": [
                    ["identifier": "deviceHint", "type": "HIDDEN", "required": false],
                    ["identifier": "userType", "type": "TEXT_INPUT", "required": true],
                    ["identifier": "staffID", "type": "TEXT_INPUT", "required": true],
                    ["identifier": "given_name", "type": "TEXT_INPUT", "required": true],
                ]
            ])
        ])
        let prompter = ScriptedPrompter()
        _ = await signIn(at: server, prompter)
        #expect(prompter.prompts.first?.fields.map(\.label) == ["User type", "Staff ID", "Given name"])
        await server.stop()
    }

    @Test("A step that only asks for hidden values ends the sign-in instead of repeating without end")
    func hiddenStep() async throws {
        let hidden = Server.asks([("deviceHint", "HIDDEN")])
        let server = try await Server(Array(repeating: hidden, count: 9))
        let prompter = ScriptedPrompter(Array(repeating: PromptAnswer(values: [:]), count: 9))
        #expect((await signIn(at: server, prompter) as? IAMError)?.code == .mfaRequired)
        #expect(prompter.prompts.isEmpty && server.calls.count == 1)
        await server.stop()
    }

    private func signIn(at server: ScriptedFlowServer, _ prompter: ScriptedPrompter) async -> (any Error)? {
        do {
            let settings = ThunderIDSettings(
                baseURL: try ServerURL(server.http.url.absoluteString, allowsLoopbackHTTP: true), applicationID: "app",
                allowsLoopbackHTTP: true)
            let environment = IdentityEnvironment(
                store: MemoryTokenStore(), prompter: prompter, time: server.clock.dates)
            let provider = try ThunderIDProvider(
                settings: settings, context: ProviderContext(name: "work", environment: environment))
            _ = try await provider.signIn(scopes: [], deviceToken: "d")
            return nil
        } catch {
            return error
        }
    }
}

/// A person who forgot the password, reads the mail that was sent, and chooses a new one.
final class MailReader: FlowPrompter {
    private struct State: Sendable {
        var before: [String]
        var prompts: [SignInPrompt] = []
    }

    private let server: LocalThunderIDServer
    private let pastesLink: Bool
    private let state: Locked<State>

    /// - Parameter before: what is entered before what is in the mail.
    init(_ server: LocalThunderIDServer, pastesLink: Bool, before: [String] = []) {
        self.server = server
        self.pastesLink = pastesLink
        state = Locked(State(before: before))
    }

    var prompts: [SignInPrompt] { state.withLock { $0.prompts } }

    func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer {
        state.withLock { $0.prompts.append(prompt) }
        if prompt.actions.contains(where: { $0.identifier == "action_forgot_password" }) {
            return PromptAnswer(values: [:], action: "action_forgot_password")
        }
        guard let field = prompt.fields.first else { return PromptAnswer(values: [:]) }
        switch field.kind {
        case .username: return PromptAnswer(values: [field.identifier: "ada"])
        case .password: return PromptAnswer(values: [field.identifier: "A-new-one-2"])
        default:
            if let text = state.withLock({ $0.before.isEmpty ? nil : $0.before.removeFirst() }) {
                return PromptAnswer(values: [field.identifier: Secret(text)])
            }
            guard let message = server.messages.last, let link = message.link else { throw CancellationError() }
            let text = pastesLink ? "  <\(link.absoluteString)>\n" : message.secret.reveal()
            return PromptAnswer(values: [field.identifier: Secret(text)])
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
