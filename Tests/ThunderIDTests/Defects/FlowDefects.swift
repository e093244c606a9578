import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import Testing
import ThunderID

/// What the official client does wrong in native flows, and this one does right.
@Suite struct FlowDefects {
    private typealias Server = ScriptedFlowServer

    @Test("Defect 13: recovery and onboarding start by the names the server knows")
    func flowTypes() async throws {
        #expect(FlowType.passwordRecovery.rawValue == "RECOVERY")
        #expect(FlowType.invitedUserRegistration.rawValue == "USER_ONBOARDING")
        let fixture = try await ClientFixture()
        let step = try await fixture.client.signIn(
            payload: .init(), request: .init(applicationId: fixture.server.application.id, flowType: .recovery))
        #expect(step.flowStatus == .promptOnly && step.inputs.map(\.name) == ["username"])
        await fixture.server.stop()
    }

    @Test("Defect 14: a wrong password shows a reason, and a failure shows its own")
    func reasons() async throws {
        let server = try await Server([
            Server.step([:], error: ["code": "FET-1005", "message": ["key": "k", "defaultValue": "x"]]),
            Server.failed("FET-1009"),
        ])
        let retry = try await server.submit()
        #expect(retry.flowStatus == .promptOnly && retry.error?.code == .authenticationFailed)
        #expect(retry.failureReason != nil)
        let failure = try await server.submit(.init(flowId: retry.flowId))
        #expect(failure.error?.serverCode == "FET-1009" && failure.failureReason != retry.failureReason)
        await server.stop()
    }

    @Test("Defect 15: field errors, options and rules arrive, and an unknown status is no prompt")
    func unknownStatus() async throws {
        let server = try await Server([
            Server.step([
                "inputs": [
                    [
                        "identifier": "userType", "type": "SELECT", "options": ["Person", "Robot"],
                        "validation": [["type": "minLength", "value": 1]],
                    ]
                ],
                "fieldErrors": [["identifier": "userType", "message": "Choose one."]],
            ]),
            ["executionId": "e", "flowStatus": "PROMPT_ONLY", "data": [:]],
        ])
        let step = try await server.submit()
        #expect(step.inputs.first?.options == ["Person", "Robot"] && step.inputs.first?.problem == "Choose one.")
        #expect(step.inputs.first?.validation.map(\.type) == ["minLength"])
        let error = await iamError { try await server.submit(.init(flowId: step.flowId)) }
        #expect(error?.code == .serverError)
        await server.stop()
    }

    @Test(
        "Defect 16: no identifier is invented: an input without one is an error, an action without one is not offered")
    func inventedIdentifiers() async throws {
        let server = try await Server([
            Server.step(["inputs": [["ref": "input_1", "type": "TEXT_INPUT"]]]),
            Server.step(["actions": [["nextNode": "somewhere"], ["ref": "real"]]]),
            Server.complete,
        ])
        #expect(await iamError { try await server.submit() }?.code == .serverError)
        let step = try await server.submit()
        #expect(step.actions.map(\.id) == ["real"])
        _ = try await server.submit(.init(flowId: step.flowId))
        #expect(server.calls[2]["action"] == nil)
        await server.stop()
    }

    @Test(
        "Defect 17: refusals are read from their codes, whatever the status is",
        arguments: [
            ("FES-1003", 400, IAMErrorCode.invalidConfiguration), ("FES-1006", 400, .registrationDisabled),
            ("FES-1010", 403, .invalidConfiguration), ("FES-1014", 401, .invalidConfiguration),
            ("FES-1009", 400, .recoveryFailed), ("SSE-5000", 500, .serverError),
        ])
    func codes(code: String, status: Int, meaning: IAMErrorCode) async throws {
        let fixture = try await ClientFixture { $0.nativeSession = .assertion }
        let body: JSONValue = [
            "code": .string(code), "message": ["key": "k", "defaultValue": "Invalid request"],
            "description": ["key": "d", "defaultValue": "text"],
        ]
        fixture.server.http.fail(.answer(.json(body, status: status)), pathPrefix: "/flow/execute")
        let error = await iamError { try await fixture.client.signIn(payload: .init(), request: fixture.request) }
        #expect(error?.code == meaning && error?.serverCode == code)
        await fixture.server.stop()
    }

    @Test("Defect 27: an attestation is made for a sign-in that starts, and for nothing else")
    func attestation() async throws {
        let count = Locked(0)
        let fixture = try await ClientFixture(
            configuration: .init(application: .init(attestation: .platform(accepting: "good")))
        ) {
            $0.attestationEnabled = true
            $0.attestationTokenProvider = {
                count.withLock { $0 += 1 }
                return "good"
            }
        }
        _ = try await fixture.client.signUp(
            request: .init(
                applicationId: fixture.server.application.id, flowType: .registration))
        #expect(count.withLock { $0 } == 0)
        #expect(try await fixture.signIn().establishesSession)
        #expect(count.withLock { $0 } == 1)
        let sent = fixture.wire.requests(to: "/flow/execute").map { $0.header("Attestation-Token") }
        #expect(sent == [nil, "good", nil])
        await fixture.server.stop()
    }

    @Test("Defect 28: federated step sends state")
    func federatedState() async throws {
        let server = try await Server([
            Server.step(
                ["redirectURL": "https://idp.example/auth?state=s1", "inputs": [["identifier": "code"]]],
                type: "REDIRECTION"),
            Server.complete,
        ])
        let step = try await server.submit()
        let forged = try #require(URL(string: "app://idp?code=c&state=other"))
        #expect(await iamError { try step.payload(for: forged) }?.code == .invalidGrant)
        _ = try await server.submit(step.payload(for: #require(URL(string: "app://idp?code=c&state=s1"))))
        #expect(server.calls[1]["inputs"] == ["code": "c", "state": "s1"])
        await server.stop()
    }

    @Test("Defect 29: the callback of a federated step is the connection's, not the app's own")
    func federatedCallback() async throws {
        let server = try await Server(
            [
                Server.step(
                    ["redirectURL": "https://idp.example/auth?state=s&redirect_uri=app%3A%2F%2Fconnection"],
                    type: "REDIRECTION")
            ]) { $0.afterSignInUrl = "app://callback" }
        #expect(try await server.submit().redirection?.callbackURI?.absoluteString == "app://connection")
        await server.stop()
    }

    @Test("Defect 30: a password is sent to the step that asked for it, and to no later one")
    func resentValues() async throws {
        let server = try await Server([
            Server.asks([("username", "TEXT_INPUT"), ("password", "PASSWORD_INPUT")]),
            Server.asks([("otp", "OTP_INPUT")], token: "t2"),
            Server.step(["additionalData": ["message": "Done"]], token: "t3"), Server.complete,
        ])
        var values = ["username": "ada", "password": "planted"]
        var step = try await server.submit()
        step = try await server.submit(.init(flowId: step.flowId, actionId: "go", inputs: values))
        values["otp"] = "123456"
        // As a screen that keeps everything that was ever typed would send it.
        step = try await server.submit(.init(flowId: step.flowId, actionId: "go", inputs: values))
        _ = try await server.submit(.init(flowId: step.flowId, inputs: values))
        #expect(
            server.calls.map { $0["inputs"] } == [
                nil, ["username": "ada", "password": "planted"], ["otp": "123456"], nil,
            ])
        #expect(!server.calls.contains { $0["action"] == "__initiate__" })
        await server.stop()
    }

    @Test("Defect 31: after a failed call the same step can be tried again, with the token that is valid")
    func retry() async throws {
        let fixture = try await ClientFixture()
        let first = try await fixture.client.signIn(payload: .init(), request: fixture.request)
        let payload = EmbeddedSignInPayload(
            flowId: first.flowId, actionId: "action_001", inputs: fixture.credentials)
        fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: "/flow/execute")
        let error = await iamError { try await fixture.client.signIn(payload: payload, request: fixture.request) }
        #expect(error?.failureClass == .transient)
        #expect(try await fixture.client.signIn(payload: payload, request: fixture.request).establishesSession)
        await fixture.server.stop()
    }

    @Test("Defect 32: a passkey's policy is passed on, and a missing relying party is no empty one")
    func passkeyPolicy() async throws {
        let server = try await Server([
            Server.asks(
                [("credentialId", "string")],
                additional: [
                    "passkeyChallenge":
                        #"{"challenge":"AQID","rpId":"e.com","userVerification":"required","timeout":5}"#
                ]),
            Server.asks(
                [("credentialId", "string")],
                additional: [
                    "passkeyCreationOptions":
                        #"{"challenge":"AQID","rp":{"id":"e.com"},"user":{"id":"Bw","name":"a"},"attestation":"direct","excludeCredentials":[{"id":"BAU"}]}"#
                ]),
            Server.asks([("credentialId", "string")], additional: ["passkeyChallenge": #"{"challenge":"AQID"}"#]),
        ])
        let asked = try #require(try await server.submit().passkeyRequest)
        #expect(asked.userVerification == "required" && asked.timeout == .milliseconds(5))
        let wanted = try #require(try await server.submit().passkeyCreation)
        #expect(wanted.attestation == "direct" && wanted.excludedCredentials == [Data([4, 5])])
        let step = try await server.submit()
        #expect(await iamError { try step.passkeyRequest }?.code == .serverError)
        await server.stop()
    }

    @Test("Defect 33: a step that only shows something can be gone on from")
    func displayOnly() async throws {
        let fixture = try await ClientFixture()
        let request = EmbeddedFlowRequestConfig(
            applicationId: fixture.server.application.id, flowType: .recovery)
        let first = try await fixture.client.signIn(payload: .init(), request: request)
        let sent = try await fixture.client.signIn(
            payload: .init(
                flowId: first.flowId, actionId: first.actions.first?.id,
                inputs: ["username": fixture.server.user.username]), request: request)
        #expect(sent.isDisplayOnly && sent.message == "Check Your Email")
        let next = try await fixture.client.signIn(payload: .init(flowId: sent.flowId), request: request)
        #expect(next.inputs.map(\.name) == ["inviteToken"])
        await fixture.server.stop()
    }

    @Test("Defect 45: whether a federated sign-in shares the browser's session is the app's choice")
    func ephemeral() async throws {
        let server = try await Server([
            Server.step(["redirectURL": "https://idp.example/auth?state=s"], type: "REDIRECTION")
        ])
        // The client opens nothing: it gives the address, and the app opens it as it likes.
        #expect(try await server.submit().redirection?.url.host == "idp.example")
        await server.stop()
    }

    @Test("Defect 46: the layout is asked for at the start alone")
    func verbose() async throws {
        let server = try await Server([Server.asks([("username", "TEXT_INPUT")]), Server.complete])
        let step = try await server.submit()
        _ = try await server.submit(.init(flowId: step.flowId, inputs: ["username": "ada"]))
        #expect(server.calls.map { $0["verbose"] } == [true, nil])
        await server.stop()
    }
}
