import Foundation
import IdentityKit
import IdentityLocalServers
import Testing
import ThunderID
import ThunderIDSwiftUI

/// Forms over what may come after a password, at the local server.
@MainActor @Suite struct LaterStepFormTests {
    private typealias Form = LocalThunderIDServer.Form

    @Test("A second factor is one more step, and nothing of the first is sent with it")
    func secondFactor() async throws {
        let fixture = try await FlowFixture { $0.signIn.steps = [.oneTimeCode(.email)] }
        let flow = await fixture.flowPastPassword()
        #expect(flow.headings == ["One More Step"] && flow.inputs.map(\.kind) == [.oneTimeCode])
        #expect(flow.step?.oneTimeCode?.wasSentByEmail == true)
        await flow.fillIn(["otp": try fixture.mailedCode().right])
        #expect(flow.outcome == .signedIn)
        await fixture.server.stop()
    }

    @Test("Consent is agreed to element by element, and what is essential is said before anything is sent")
    func consent() async throws {
        let fixture = try await FlowFixture { $0.signIn.steps = [.consent()] }
        let flow = await fixture.flowPastPassword()
        let purpose = try #require(flow.consent?.purposes.first)
        #expect(purpose.essential == ["email"] && purpose.optional == ["given_name", "family_name"])
        #expect(flow.headings == ["May the application know this?"] && flow.inputs.isEmpty)
        #expect(flow.actions.map(\.title) == ["Allow", "Deny"])
        #expect(!flow.agrees(to: "email"))
        flow.setAgreement(true, to: "given_name")
        let requests = fixture.requestCount
        await flow.advance()
        #expect(flow.error == "The sign-in does not go on without this: Email." && fixture.requestCount == requests)
        flow.setAgreement(true, to: "email")
        flow.setAgreement(false, to: "given_name")
        await flow.advance()
        #expect(flow.outcome == .signedIn && flow.error == nil)
        await fixture.server.stop()
    }

    @Test("A denial agrees to nothing, whatever the switches say")
    func denial() async throws {
        let fixture = try await FlowFixture { $0.signIn.steps = [.consent()] }
        let flow = await fixture.flowPastPassword()
        for element in ["email", "given_name", "family_name"] { flow.setAgreement(true, to: element) }
        await flow.advance("consent_action_deny")
        #expect(flow.outcome == nil && flow.error == "The sign-in needs your consent.")
        #expect(flow.isOver && flow.primaryAction == .startAgain)
        let sent = try #require(fixture.newestInputs()["consent_decisions"]?.stringValue)
        let decisions = try JSONValue(parsing: Data(sent.utf8))
        #expect(decisions["approved"] == false && !sent.contains(#""approved":true"#))
        #expect(try await fixture.client.isSignedIn() == false)
        await fixture.server.stop()
    }

    @Test("A response that came too late starts the flow again")
    func lateConsent() async throws {
        let fixture = try await FlowFixture { $0.signIn.steps = [.consent(.init(timeout: .seconds(60)))] }
        let flow = await fixture.flowPastPassword()
        #expect(flow.step?.stepExpiresAt == fixture.clock.now + 60)
        fixture.clock.advance(by: .seconds(61))
        flow.setAgreement(true, to: "email")
        await flow.advance()
        #expect(flow.error == "The question for your consent took too long. Start again.")
        #expect(flow.primaryAction == .startAgain)
        await flow.advance()
        #expect(flow.inputs.map(\.name) == ["username", "password"])
        await fixture.server.stop()
    }

    @Test("Lengths are checked before anything is sent; the server checks the rest, and each rule has its words")
    func rules() async throws {
        let fixture = try await FlowFixture { $0.signIn.steps = [.form(.validated)] }
        let flow = await fixture.flowPastPassword()
        #expect(flow.inputs.map(\.kind) == [.text, .text, .phone])
        let requests = fixture.requestCount
        await flow.fillIn(["postcode": "12", "nickname": "ab"])
        #expect(flow.problems == ["nickname": "This is too short."])
        await flow.fillIn(["nickname": "muchtoolong"])
        #expect(flow.problems == ["nickname": "This is too long."] && fixture.requestCount == requests)
        await flow.fillIn(["nickname": "ADA!"])
        #expect(
            flow.problems
                == ["postcode": "Five digits, please.", "nickname": "This does not have the expected form."])
        #expect(fixture.requestCount > requests)
        await flow.fillIn(["postcode": "12345", "nickname": "ada"])
        #expect(flow.outcome == .signedIn && flow.problems.isEmpty)
        await fixture.server.stop()
    }

    @Test("Every kind of field is known, and an unknown one is a text")
    func everyKind() async throws {
        let fixture = try await FlowFixture { $0.signIn.steps = [.form(.everyKindOfInput)] }
        let flow = await fixture.flowPastPassword()
        let kinds = Dictionary(uniqueKeysWithValues: flow.inputs.map { ($0.name, $0.kind) })
        #expect(
            kinds == [
                "text_input": .text, "email_input": .email, "password_input": .password, "otp_input": .oneTimeCode,
                "phone_input": .phone, "number_input": .number, "date_input": .date, "boolean_input": .boolean,
                "string": .text, "retina_scan": .text, "colour": .choice, "ouId": .choice, "untyped": .text,
            ])
        #expect(flow.inputs.filter(\.isSecret).map(\.name) == ["password_input", "otp_input"])
        #expect(flow.inputs.first { $0.name == "colour" }?.options == ["red", "green", "blue"])
        #expect(flow.actions.map(\.title) == ["action_save", "action_save_later"])
        #expect(!flow.choosesPassword)
        await flow.fillIn(["colour": "mauve"])
        #expect(flow.problems["colour"] == "This is not among the options." && flow.problems["boolean_input"] == nil)
        var values = kinds.filter { $0.key != "colour" && $0.key != "ouId" }.mapValues { _ in "1" }
        values["colour"] = "green"
        values["boolean_input"] = "true"
        values["hidden"] = "h"
        await flow.fillIn(values)
        #expect(flow.outcome == .signedIn, "\(flow.error ?? "") \(flow.problems)")
        let sent = try fixture.newestInputs()
        #expect(sent["boolean_input"] == "true" && sent["hidden"] == "h" && sent["colour"] == "green")
        await fixture.server.stop()
    }

    @Test("A form that is described in a text is laid out all the same")
    func describedAsText() async throws {
        let form = Form(
            inputs: [.init(ref: "input_1", identifier: "given_name")],
            components: [["id": "t", "type": "TEXT", "variant": "HEADING_2", "label": "About you"]],
            isDescribedAsText: true)
        let fixture = try await FlowFixture { $0.signIn.steps = [.form(form)] }
        let flow = await fixture.flowPastPassword()
        #expect(flow.headings == ["About you"] && flow.inputs.map(\.label) == ["given_name"])
        await flow.fillIn(["given_name": "Ada"])
        #expect(flow.outcome == .signedIn)
        await fixture.server.stop()
    }

    @Test("Something to read is gone on from, and a refusal begins again")
    func noticeAndRefusal() async throws {
        let fixture = try await FlowFixture { $0.signIn.steps = [.notice("Read this"), .refusal] }
        let flow = await fixture.flowPastPassword()
        #expect(flow.message == "Read this" && flow.inputs.isEmpty && flow.primaryAction == .proceed)
        await flow.advance()
        #expect(flow.error == "This account is not allowed to do that." && flow.primaryAction == .startAgain)
        #expect(try await fixture.client.isSignedIn() == false)
        await fixture.server.stop()
    }

    @Test("A sign-in that begins no session shows its message, once, and asks again")
    func endsWithNotice() async throws {
        let fixture = try await FlowFixture { $0.signIn.ending = .notice("Come back later") }
        let flow = await fixture.flowPastPassword()
        #expect(flow.notice == "Come back later" && flow.message == "Come back later")
        #expect(flow.inputs.map(\.name) == ["username", "password"] && flow.outcome == nil)
        await flow.fillIn(["username": "ada", "password": "Enchantress-1"])
        #expect(flow.outcome == nil && flow.primaryAction == .startAgain)
        await fixture.server.stop()
    }

    @Test("A code with letters in it is known, also when it is asked for again")
    func letters() async throws {
        let step = ScriptedFlow.step(
            [("otp", "OTP_INPUT")], actions: ["go"], additional: ["otpLength": "8", "otpNumericOnly": "false"])
        let again = ScriptedFlow.step([("otp", "OTP_INPUT")], actions: ["go"], error: "FET-1008")
        let server = try await ScriptedFlow([step, again])
        let flow = await server.flow()
        #expect(!flow.hasNumericCode)
        await flow.fillIn(["otp": "ABCDEFGH"])
        #expect(flow.error != nil && !flow.hasNumericCode)
        await server.http.stop()
    }

    @Test("What is wrong with single values is shown beside them")
    func fieldErrors() async throws {
        let step: JSONValue = [
            "executionId": "e", "flowStatus": "INCOMPLETE", "type": "VIEW", "challengeToken": "t",
            "data": [
                "inputs": [["identifier": "email", "type": "EMAIL_INPUT", "required": true]],
                "actions": [["ref": "go"]],
                "fieldErrors": [["identifier": "email", "message": "Somebody has this address."]],
            ],
        ]
        let server = try await ScriptedFlow([ScriptedFlow.step([("email", "EMAIL_INPUT")], actions: ["go"]), step])
        let flow = await server.flow(.registration)
        await flow.fillIn(["email": "ada@example.org"])
        #expect(flow.problems == ["email": "Somebody has this address."] && flow.error == nil)
        #expect(flow.value(for: "email") == "ada@example.org")
        flow.setValue("a@example.org", for: "email")
        #expect(flow.problems.isEmpty)
        await server.http.stop()
    }

    @Test("Labels, headings, buttons and errors are in the person's language")
    func language() async throws {
        func step(_ error: JSONValue?) -> JSONValue {
            var members: [String: JSONValue] = [
                "executionId": "e", "flowStatus": "INCOMPLETE", "type": "VIEW", "challengeToken": "t",
                "data": [
                    "inputs": [["ref": "i", "identifier": "otp", "type": "OTP_INPUT", "required": true]],
                    "actions": [["ref": "a"]],
                    "meta": [
                        "components": [
                            ["type": "TEXT", "variant": "HEADING_1", "label": "{{ t(signin:title) }}"],
                            ["type": "OTP_INPUT", "id": "i", "ref": "otp", "label": "{{ t(signin:code) }}"],
                            ["type": "ACTION", "id": "a", "label": "{{ t(signin:go) }}"],
                        ]
                    ],
                ],
            ]
            members["error"] = error
            return .object(members)
        }
        let texts: JSONValue = [
            "i18n": [
                "language": "de",
                "translations": [
                    "signin": ["title": "Noch ein Schritt", "code": "Einmalcode", "go": "Weiter"],
                    "flows": ["executor.errors.invalid_otp": "Der Code stimmt nicht."],
                ],
            ]
        ]
        let wrong: JSONValue = [
            "code": "FET-1008", "message": ["key": "flows.executor.errors.invalid_otp", "defaultValue": "Invalid OTP"],
        ]
        let server = try await ScriptedFlow([step(nil), step(wrong)], texts: texts, language: "de")
        let flow = await server.flow(.registration)
        #expect(flow.headings == ["Noch ein Schritt"])
        #expect(flow.inputs.map(\.title) == ["Einmalcode"] && flow.actions.map(\.title) == ["Weiter"])
        await flow.fillIn(["otp": "1"])
        #expect(flow.error == "Der Code stimmt nicht.")
        await server.http.stop()
    }
}
