import Foundation
import IdentityKit
import IdentityLocalServers
import Testing
import ThunderID

@Suite struct FlowStepTests {
    private typealias Server = ScriptedFlowServer

    @Test("A step tells its fields, options, rules and problems, in words")
    func fields() async throws {
        let server = try await Server(
            [
                Server.step([
                    "inputs": [
                        [
                            "ref": "input_1", "identifier": "plan", "type": "SELECT", "required": true,
                            "options": ["free", "paid"],
                        ],
                        [
                            "identifier": "name", "type": "TEXT_INPUT", "required": false,
                            "validation": [
                                ["type": "minLength", "value": 3], ["type": "maxLength", "value": 5],
                                ["type": "regex", "value": "^[a-z]+$", "message": "Small letters only."],
                                ["type": "unheard-of", "value": [1]],
                            ],
                        ],
                        ["identifier": "age", "type": "an unknown type", "required": false],
                    ],
                    "actions": [["ref": "a"], ["ref": "b", "type": "CONFIRM", "nextNode": "n"], ["nextNode": "x"]],
                    "fieldErrors": [
                        ["identifier": "name", "message": "validation.minLength.invalid"],
                        ["identifier": "plan", "message": "{{ t(errors:plan) }}"],
                    ],
                ])
            ], texts: ["i18n": ["translations": ["errors": ["plan": "There is no such plan."]]]])
        let step = try await server.submit()
        #expect(step.inputs.map(\.name) == ["plan", "name", "age"])
        #expect(step.inputs.map(\.options) == [["free", "paid"], [], []])
        #expect(step.inputs.map(\.problem) == ["There is no such plan.", "This is too short.", nil])
        #expect(step.inputs[0].problem(with: "gold") == "This is not among the options.")
        #expect(step.inputs[0].problem(with: "") == "This is needed.")
        #expect(step.inputs[1].problem(with: "ab") == "This is too short.")
        #expect(step.inputs[1].problem(with: "abcdef") == "This is too long.")
        #expect(step.inputs[1].problem(with: "AB3") == nil, "the server matches expressions")
        #expect(step.inputs[1].problem(with: "abc") == nil && step.inputs[1].problem(with: "") == nil)
        #expect(step.actions.map(\.id) == ["a", "b"])
        #expect(step.actions[1].type == "CONFIRM" && step.actions[1].nextNode == "n")
        #expect(step.inputs.map(\.id) == step.inputs.map(\.name) && step.actions[0].ref == "a" && step.stepId == nil)
        await server.stop()
    }

    @Test("A field that comes twice is one field, and a secret one when one of the two is")
    func repeatedFields() async throws {
        let server = try await Server([
            Server.step([
                "inputs": [
                    ["identifier": "password", "required": true], ["identifier": "name", "type": "TEXT_INPUT"],
                    ["identifier": "password", "type": "PASSWORD_INPUT", "required": true],
                    ["identifier": "name", "type": "EMAIL_INPUT"],
                ]
            ])
        ])
        let step = try await server.submit()
        #expect(step.inputs.map(\.name) == ["password", "name"])
        #expect(step.inputs.map(\.type) == ["PASSWORD_INPUT", "TEXT_INPUT"])
        await server.stop()
    }

    @Test("A chosen action is remembered by the server; the rest of its inputs follows")
    func rememberedChoice() async throws {
        let server = try await Server([
            Server.step(["actions": [["ref": "password"], ["ref": "code"]]]),
            Server.step(
                ["inputs": [["identifier": "password", "type": "PASSWORD_INPUT", "required": true]]], token: "t2"),
            Server.complete,
        ])
        let chooser = try await server.submit()
        #expect(chooser.inputs.isEmpty && !chooser.isDisplayOnly)
        let step = try await server.submit(.init(flowId: chooser.flowId, actionId: "password"))
        #expect(step.actions.isEmpty && step.inputs.map(\.name) == ["password"])
        let end = try await server.submit(.init(flowId: step.flowId, inputs: ["password": "x"]))
        #expect(end.flowStatus == .complete && !end.establishesSession)
        #expect(server.calls[1]["action"] == "password" && server.calls[1]["inputs"] == nil)
        #expect(server.calls[2]["action"] == nil && server.calls[2]["challengeToken"] == "t2")
        await server.stop()
    }

    @Test("A step that only shows something goes on with the flow alone")
    func displayOnly() async throws {
        let server = try await Server([
            Server.step(["additionalData": ["message": "Check Your Email"], "meta": ["components": []]]),
            Server.complete,
        ])
        let step = try await server.submit(.init(), .recovery)
        #expect(step.isDisplayOnly && step.message == "Check Your Email")
        #expect(try await server.submit(.init(flowId: step.flowId)).flowStatus == .complete)
        #expect(server.calls[1] == ["executionId": "e", "challengeToken": "t1"])
        await server.stop()
    }

    @Test("A one-time code comes with its form")
    func oneTimeCode() async throws {
        let server = try await Server([
            Server.asks(
                [("otp", "OTP_INPUT")], additional: ["otpLength": "8", "otpNumericOnly": "false", "emailSent": "true"])
        ])
        let step = try await server.submit()
        #expect(step.inputs.first?.isSecret == true)
        let code = try #require(step.oneTimeCode)
        #expect(code.length == 8 && !code.isNumeric && code.wasSentByEmail)
        await server.stop()
    }

    @Test("A passkey signs what the server sends, flat and in a text")
    func passkey() async throws {
        let server = try await Server([
            Server.asks(
                [("credentialId", "string"), ("signature", "string")],
                additional: [
                    "passkeyChallenge": .string(
                        #"{"challenge":"AQID","rpId":"example.com","timeout":60000,"userVerification":"required","#
                            + #""allowCredentials":[{"type":"public-key","id":"BAU","transports":["internal"]}]}"#)
                ]),
            Server.complete,
        ])
        let step = try await server.submit()
        let request = try #require(try step.passkeyRequest)
        #expect(request.challenge == Data([1, 2, 3]) && request.relyingPartyID == "example.com")
        #expect(request.allowedCredentials == [Data([4, 5])] && request.userVerification == "required")
        #expect(request.timeout == .seconds(60))
        let assertion = PasskeyAssertion(
            credentialID: Data([4, 5]), clientDataJSON: Data("{}".utf8), authenticatorData: Data([0xFF, 0xFE]),
            signature: Data([9]), userHandle: Data([7]))
        _ = try await server.submit(step.payload(for: assertion))
        let sent: JSONValue = [
            "credentialId": "BAU", "clientDataJSON": "e30", "authenticatorData": "__4", "signature": "CQ",
            "userHandle": "Bw",
        ]
        #expect(server.calls[1]["inputs"] == sent && server.calls[1]["action"] == "go")
        await server.stop()
    }

    @Test("A new passkey is made for whom the server names")
    func passkeyCreation() async throws {
        let options = #"""
            {"challenge":"AQID","rp":{"id":"example.com","name":"Example"},
             "user":{"id":"Bw","name":"ada","displayName":"Ada"},"attestation":"direct",
             "pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-257}],
             "excludeCredentials":[{"type":"public-key","id":"BAU"}],
             "authenticatorSelection":{"userVerification":"discouraged"}}
            """#
        let server = try await Server([
            Server.asks([("credentialId", "string")], additional: ["passkeyCreationOptions": .string(options)]),
            Server.complete,
        ])
        let step = try await server.submit()
        let creation = try #require(try step.passkeyCreation)
        #expect(creation.relyingPartyID == "example.com" && creation.userID == Data([7]) && creation.userName == "ada")
        #expect(creation.algorithms == [-7, -257] && creation.excludedCredentials == [Data([4, 5])])
        #expect(creation.userVerification == "discouraged" && creation.attestation == "direct")
        #expect(creation.timeout == nil && creation.userDisplayName == "Ada" && creation.relyingPartyName == "Example")
        _ = try await server.submit(
            step.payload(
                for: PasskeyRegistration(
                    credentialID: Data([1]), clientDataJSON: Data("{}".utf8), attestationObject: Data([2]))))
        #expect(
            server.calls[1]["inputs"] == ["credentialId": "AQ", "clientDataJSON": "e30", "attestationObject": "Ag"])
        await server.stop()
    }

    @Test(
        "A question for a passkey that lacks what must not be guessed is refused",
        arguments: [
            "not json", "[]", "{}", #"{"challenge":"AQID"}"#, #"{"challenge":"AQID","rpId":""}"#,
            #"{"challenge":"","rpId":"example.com"}"#, #"{"challenge":"!","rpId":"example.com"}"#,
            #"{"challenge":"AQID","rpId":"example.com","allowCredentials":[{"id":1}]}"#,
        ])
    func brokenPasskey(options: String) async throws {
        let server = try await Server([
            Server.asks([("credentialId", "string")], additional: ["passkeyChallenge": .string(options)])
        ])
        let step = try await server.submit()
        let error = await iamError { try step.passkeyRequest }
        #expect(error?.code == .serverError && error?.failureClass == .definitive)
        await server.stop()
    }

    @Test("A step at another identity provider takes the code and the state it started with, and no others")
    func redirection() async throws {
        let page = "https://idp.example/auth?client_id=x&state=s1&redirect_uri=com.example.app%3A%2F%2Fidp"
        let server = try await Server([
            Server.step(
                [
                    "redirectURL": .string(page),
                    "inputs": [["identifier": "code", "type": "string", "required": true]],
                    "additionalData": ["idpName": "Example"],
                ], type: "REDIRECTION"),
            Server.complete,
        ])
        let step = try await server.submit()
        let redirection = try #require(step.redirection)
        #expect(redirection.url.absoluteString == page && redirection.providerName == "Example")
        #expect(redirection.callbackURI?.absoluteString == "com.example.app://idp" && !step.isDisplayOnly)
        let refused: [(String, IAMErrorCode)] = [
            ("com.example.app://idp?code=c&state=other", .invalidGrant),
            ("com.example.app://idp?code=c", .invalidGrant),
            ("com.example.app://other?code=c&state=s1", .invalidGrant),
            ("com.example.app://idp?state=s1", .invalidGrant),
            ("com.example.app://idp?error=access_denied&state=s1", .authenticationFailed),
            ("com.example.app://idp?error=invalid_scope&state=s1", .authenticationFailed),
            ("com.example.app://idp?error=server_error&state=s1", .serverError),
            ("com.example.app://idp?error=temporarily_unavailable&state=s1", .serverError),
            ("com.example.app://idp?code=c&code=d&state=s1", .invalidGrant),
        ]
        for (callback, code) in refused {
            let error = await iamError { try step.payload(for: #require(URL(string: callback))) }
            #expect(error?.code == code, "\(callback)")
        }
        let callback = try #require(URL(string: "com.example.app://idp?code=c1&state=s1"))
        _ = try await server.submit(step.payload(for: callback))
        #expect(server.calls[1]["inputs"] == ["code": "c1", "state": "s1"])
        #expect(server.calls[1]["action"] == nil)
        await server.stop()
    }

    @Test("Consent is what the person agreed to, by element")
    func consent() async throws {
        let question = #"""
            [{"purposeName":"app:attrs","purposeId":"1","type":"attributes","description":"To greet you",
              "essential":[{"name":"email"}],"optional":[{"name":"phone"},{"name":"locale"}]}]
            """#
        let server = try await Server([
            Server.asks(
                [("consent_decisions", "CONSENT_INPUT")],
                additional: ["consentPrompt": .string(question), "stepTimeout": "1780000000000"])
        ])
        let step = try await server.submit()
        let asked = try #require(step.consentQuestion)
        #expect(
            asked.purposes.map(\.essential) == [["email"]] && asked.purposes.map(\.optional) == [["phone", "locale"]])
        #expect(asked.purposes.first?.description == "To greet you" && asked.purposes.first?.type == "attributes")
        #expect(step.stepExpiresAt == Date(timeIntervalSince1970: 1_780_000_000))
        let agreed = try JSONValue(parsing: Data(asked.decisions(agreeingTo: ["email", "locale"]).utf8))
        let expected: JSONValue = [
            "approved": true,
            "purposes": [
                [
                    "purposeName": "app:attrs", "approved": true,
                    "elements": [
                        ["name": "email", "approved": true], ["name": "phone", "approved": false],
                        ["name": "locale", "approved": true],
                    ],
                ]
            ],
        ]
        #expect(agreed == expected)
        let denied = try JSONValue(parsing: Data(asked.decisions(agreeingTo: []).utf8))
        #expect(denied["approved"] == false)
        await server.stop()
    }

    @Test("A question for consent that cannot be understood is not one to agree to", arguments: ["{}", "x", "[{}]"])
    func unclearConsent(question: String) async throws {
        let server = try await Server([
            Server.asks([("consent_decisions", "CONSENT_INPUT")], additional: ["consentPrompt": .string(question)])
        ])
        #expect(try await server.submit().consentQuestion == nil)
        await server.stop()
    }

    @Test("A flow that cannot go on says why, and may be tried once more with the last token")
    func failed() async throws {
        let server = try await Server([
            Server.asks([("username", "TEXT_INPUT")]), Server.failed("FET-1028"),
            Server.asks([("username", "TEXT_INPUT")], token: "t2"),
        ])
        let step = try await server.submit()
        let failure = try await server.submit(.init(flowId: step.flowId, inputs: ["username": "ada"]))
        #expect(failure.flowStatus == .error && failure.error?.code == .authenticationFailed)
        #expect(failure.failureReason == "This account is not allowed to do that.")
        _ = try await server.submit(.init(flowId: step.flowId, inputs: ["username": "ada"]))
        #expect(server.calls.map { $0["challengeToken"] } == [nil, "t1", "t1"])
        await server.stop()
    }

    @Test("A lost challenge token ends the flow in words")
    func lostToken() async throws {
        let server = try await Server([Server.asks([("username", "TEXT_INPUT")]), Server.failed("ICS-1002")])
        let step = try await server.submit()
        let failure = try await server.submit(.init(flowId: step.flowId, inputs: ["username": "ada"]))
        #expect(failure.error?.code == .sessionExpired)
        #expect(failure.failureReason == "The server lost track of this sign-in. Start again.")
        await server.stop()
    }

    @Test("A flow that another client object started goes on with the token it was given")
    func foreignFlow() async throws {
        let server = try await Server([Server.complete])
        _ = try await server.submit(
            .init(flowId: "e", actionId: "go", inputs: ["username": "ada"], challengeToken: "given"))
        #expect(server.calls[0]["challengeToken"] == "given" && server.calls[0]["inputs"] == ["username": "ada"])
        await server.stop()
    }

    @Test("What a mailed link proves goes on with its flow, without the proof of having seen a step")
    func link() async throws {
        let server = try await Server([Server.asks([("password", "PASSWORD_INPUT")])])
        let url = try #require(
            URL(
                string:
                    "https://id.example.com/gate/invite?applicationId=app&executionId=e&inviteToken=abc%2Bd&authId=x"))
        let link = try #require(FlowLink(url))
        #expect(link.flowId == "e" && link.applicationId == "app" && link.inputs == ["inviteToken": "abc+d"])
        #expect(!"\(link)".contains("abc"))
        let magic = try #require(
            URL(string: "https://id.example.com/gate/signin?applicationId=app&id=m&token=t1&type=X"))
        #expect(FlowLink(magic)?.flowId == "m" && FlowLink(magic)?.inputs == ["token": "t1"])
        let step = try await server.submit(link.payload, .recovery)
        #expect(step.inputs.map(\.name) == ["password"])
        #expect(server.calls[0] == ["executionId": "e", "inputs": ["inviteToken": "abc+d"]])
        await server.stop()
    }

    @Test(
        "What is no such link is none",
        arguments: [
            "https://a.example/", "https://a.example/?executionId=e", "https://a.example/?inviteToken=t",
            "https://a.example/?executionId=e&inviteToken=a&inviteToken=b", "https://a.example/?executionId=&token=t",
        ])
    func noLink(text: String) throws {
        #expect(FlowLink(try #require(URL(string: text))) == nil)
    }

    @Test("Each flow starts with its own type", arguments: FlowType.allCases)
    func types(type: FlowType) async throws {
        let server = try await Server([Server.complete])
        _ = try await server.submit(.init(), type)
        #expect(server.calls[0]["flowType"] == .string(type.rawValue))
        #expect(server.calls[0]["applicationId"] == "app" && server.calls[0]["verbose"] == true)
        await server.stop()
    }

    @Test("An invitation that an administrator made shows its link")
    func inviteLink() async throws {
        let server = try await Server([
            Server.step([
                "additionalData": ["inviteLink": "https://id.example.com/gate/invite?x"],
                "meta": ["components": [["type": "COPYABLE_TEXT", "source": "inviteLink"]]],
            ])
        ])
        let step = try await server.submit(.init(), .userOnboarding)
        #expect(step.data?.copyables.map(\.text) == ["https://id.example.com/gate/invite?x"])
        await server.stop()
    }
}
