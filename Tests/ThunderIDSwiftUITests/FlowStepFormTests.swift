import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import TestSupport
import Testing
import ThunderID
@testable import ThunderIDSwiftUI

/// Forms over every kind of step, from a server that responds as a test says.
@MainActor @Suite struct FlowStepFormTests {
    @Test("A one-time code is asked for, and a wrong one can be typed again")
    func oneTimeCode() async throws {
        let otp = ScriptedFlow.step([("otp", "OTP_INPUT")], actions: ["go"], additional: ["otpLength": "6"])
        let again = ScriptedFlow.step([("otp", "OTP_INPUT")], actions: ["go"], error: "FET-1008")
        let server = try await ScriptedFlow([otp, again, ScriptedFlow.complete])
        let flow = await server.flow(.registration)
        #expect(flow.step?.oneTimeCode?.length == 6)
        await flow.fillIn(["otp": "000000"])
        #expect(flow.error != nil && flow.announcement == flow.error)
        #expect(flow.value(for: "otp").isEmpty)
        await flow.fillIn(["otp": "123456"])
        #expect(flow.outcome == .finished && flow.announcement == nil)
        #expect(server.calls.map { $0["inputs"]?["otp"] } == [nil, "000000", "123456"])
        await server.http.stop()
    }

    @Test("Another identity provider's page opens by itself, and its response continues the flow")
    func redirection() async throws {
        let page = "https://idp.example.com/authorize?redirect_uri=com.example.app%3A%2F%2Fcallback&state=s1"
        let server = try await ScriptedFlow([
            ScriptedFlow.step([("code", "string")], redirect: page), ScriptedFlow.complete,
        ])
        let browser = ScriptedBrowser { _ in try #require(URL(string: "com.example.app://callback?code=c1&state=s1")) }
        let flow = await server.flow(.registration, handlers: SignInHandlers(webAuthenticator: browser))
        #expect(flow.outcome == .finished)
        #expect(server.calls.last?["inputs"] == ["code": "c1", "state": "s1"])
        await server.http.stop()
    }

    @Test("A page that the person closes leaves a button to open it again")
    func closedPage() async throws {
        let page = "https://idp.example.com/authorize?redirect_uri=com.example.app%3A%2F%2Fcallback&state=s1"
        let server = try await ScriptedFlow([
            ScriptedFlow.step([("code", "string")], redirect: page), ScriptedFlow.complete,
        ])
        let isClosed = Locked(true)
        let browser = ScriptedBrowser { _ in
            if isClosed.withLock({ $0 }) { throw CancellationError() }
            return try #require(URL(string: "com.example.app://callback?code=c1&state=s1"))
        }
        let flow = await server.flow(.registration, handlers: SignInHandlers(webAuthenticator: browser))
        #expect(flow.error == nil)
        #expect(flow.primaryAction == .tryAgain)
        isClosed.withLock { $0 = false }
        await flow.advance()
        #expect(flow.outcome == .finished)
        await server.http.stop()
    }

    @Test("A page does not open after the person has left the form, and a form that comes back offers it", .endsInTime)
    func leftForm() async throws {
        let page = "https://idp.example.com/authorize?redirect_uri=com.example.app%3A%2F%2Fcallback&state=s1"
        let server = try await ScriptedFlow([
            ScriptedFlow.step(actions: ["google"]), ScriptedFlow.step([("code", "string")], redirect: page),
            ScriptedFlow.complete,
        ])
        let opened = Locked(0)
        let browser = ScriptedBrowser { _ in
            opened.withLock { $0 += 1 }
            return try #require(URL(string: "com.example.app://callback?code=c1&state=s1"))
        }
        let flow = await server.flow(.registration, handlers: SignInHandlers(webAuthenticator: browser))
        flow.viewAppears()
        let gate = AnswerGate()
        server.http.fail(.holdAnswer(gate), pathPrefix: "/flow/execute")
        let submission = Task { await flow.advance("google") }
        await gate.waitForAnswer()
        flow.viewDisappears()
        gate.open()
        await submission.value
        #expect(opened.withLock { $0 } == 0 && flow.error == nil)
        #expect(flow.primaryAction == .tryAgain)
        flow.viewAppears()
        // A view that takes the place of another one may appear first.
        flow.viewAppears()
        flow.viewDisappears()
        #expect(!flow.isLeft)
        await flow.advance()
        #expect(opened.withLock { $0 } == 1 && flow.outcome == .finished)
        await server.http.stop()
    }

    @Test("Without a browser a page cannot be opened, and the form says so")
    func noBrowser() async throws {
        let page = "https://idp.example.com/authorize?redirect_uri=com.example.app%3A%2F%2Fcallback&state=s1"
        let server = try await ScriptedFlow([ScriptedFlow.step(redirect: page)])
        let flow = await server.flow()
        #expect(flow.error?.contains("browser") == true)
        await server.http.stop()
    }

    @Test("A passkey is asked for by itself; one that the server refuses is asked for again only on request")
    func passkey() async throws {
        let challenge = #"{"challenge":"Y2hhbGxlbmdl","rpId":"example.com"}"#
        let step = ScriptedFlow.step(additional: ["passkeyChallenge": challenge])
        let again = ScriptedFlow.step(additional: ["passkeyChallenge": challenge], error: "FET-1015")
        let server = try await ScriptedFlow([step, again, ScriptedFlow.complete])
        let passkeys = ScriptedPasskeys()
        let flow = await server.flow(.registration, handlers: SignInHandlers(passkeys: passkeys))
        #expect(passkeys.timesAsked == 1)
        #expect(flow.error != nil)
        #expect(flow.primaryAction == .tryAgain)
        await flow.advance()
        #expect(passkeys.timesAsked == 2)
        #expect(flow.outcome == .finished)
        #expect(server.calls.last?["inputs"]?["credentialId"] == "aWQ")
        await server.http.stop()
    }

    @Test("A new passkey is made when a step wants one")
    func passkeyRegistration() async throws {
        let options =
            #"{"challenge":"Y2hhbGxlbmdl","rp":{"id":"example.com"},"user":{"id":"dXNlcg","name":"ada"},"#
            + #""pubKeyCredParams":[{"type":"public-key","alg":-7}]}"#
        let server = try await ScriptedFlow([
            ScriptedFlow.step(additional: ["passkeyCreationOptions": options]), ScriptedFlow.complete,
        ])
        let flow = await server.flow(.registration, handlers: SignInHandlers(passkeys: ScriptedPasskeys()))
        #expect(flow.outcome == .finished)
        #expect(server.calls.last?["inputs"]?["attestationObject"] == "YXR0ZXN0YXRpb24")
        await server.http.stop()
    }

    @Test("Nothing is agreed to until the person agrees")
    func consent() async throws {
        let prompt = #"[{"purposeName":"profile","essential":["email"],"optional":["phone"]}]"#
        let step = ScriptedFlow.step(
            [("consent_decisions", "CONSENT_INPUT")], actions: ["go"], additional: ["consentPrompt": prompt])
        let server = try await ScriptedFlow([step, ScriptedFlow.complete])
        let flow = await server.flow(.registration)
        #expect(flow.inputs.isEmpty)
        #expect(flow.consent?.purposes.first?.optional == ["phone"])
        #expect(!flow.agrees(to: "email"))
        flow.setAgreement(true, to: "email")
        await flow.advance()
        let decisions = try #require(server.calls.last?["inputs"]?["consent_decisions"]?.stringValue)
        let elements = try JSONValue(parsing: Data(decisions.utf8))["purposes"]?.arrayValue?.first?["elements"]
        #expect(
            elements == [["name": "email", "approved": true], ["name": "phone", "approved": false]])
        await server.http.stop()
    }

    @Test("A step that only shows something has one button, which sends nothing")
    func displayOnly() async throws {
        let server = try await ScriptedFlow([
            ScriptedFlow.step(additional: ["message": "Read this."]), ScriptedFlow.complete,
        ])
        let flow = await server.flow(.registration)
        #expect(flow.message == "Read this.")
        #expect(flow.primaryAction == .proceed)
        await flow.advance()
        #expect(flow.outcome == .finished)
        #expect(server.calls.last?["inputs"]?.objectValue?.isEmpty ?? true)
        #expect(server.calls.last?["action"] == nil)
        await server.http.stop()
    }

    @Test("The outcome is told once, however often the form reappears, and again after another run")
    func outcomeOnce() async throws {
        let server = try await ScriptedFlow([ScriptedFlow.complete, ScriptedFlow.complete])
        let flow = await server.flow(.registration)
        #expect(flow.takeOutcome() == .finished)
        #expect(flow.takeOutcome() == nil && flow.outcome == .finished)
        await flow.restart()
        #expect(flow.takeOutcome() == .finished)
        await server.http.stop()
    }

    @Test("What is not for the eye is not shown, and is sent when it is known")
    func hiddenInputs() async throws {
        let server = try await ScriptedFlow([
            ScriptedFlow.step([("inviteToken", "HIDDEN"), ("agree", "BOOLEAN_INPUT")], actions: ["go"]),
            ScriptedFlow.complete,
        ])
        let flow = await server.flow(.registration)
        #expect(flow.inputs.map(\.name) == ["agree"])
        await flow.fillIn(["inviteToken": "i1"])
        #expect(server.calls.last?["inputs"] == ["inviteToken": "i1", "agree": "false"])
        await server.http.stop()
    }

    @Test("A flow that cannot go on offers to start again")
    func failed() async throws {
        let step = ScriptedFlow.step([("otp", "OTP_INPUT")], actions: ["go"])
        let server = try await ScriptedFlow([step, ScriptedFlow.failed("FET-1009"), step])
        let flow = await server.flow()
        await flow.fillIn(["otp": "123456"])
        #expect(flow.error != nil)
        #expect(flow.isOver)
        #expect(flow.primaryAction == .startAgain)
        await flow.advance()
        #expect(!flow.isOver)
        #expect(flow.error == nil)
        #expect(flow.inputs.map(\.name) == ["otp"])
        #expect(server.calls.last?["executionId"] == nil)
        await server.http.stop()
    }

    @Test("A server in trouble loses nothing: the same step can be sent again")
    func serverInTrouble() async throws {
        let server = try await ScriptedFlow([
            ScriptedFlow.step([("email", "EMAIL_INPUT")], actions: ["go"]), nil, ScriptedFlow.complete,
        ])
        let flow = await server.flow(.registration)
        await flow.fillIn(["email": "ada@example.org"])
        #expect(flow.error != nil)
        #expect(flow.value(for: "email") == "ada@example.org")
        await flow.advance()
        #expect(flow.outcome == .finished)
        await server.http.stop()
    }

    @Test("A start that fails can be tried again")
    func failedStart() async throws {
        let server = try await ScriptedFlow([nil, ScriptedFlow.step([("otp", "OTP_INPUT")], actions: ["go"])])
        let flow = await server.flow()
        #expect(flow.error != nil)
        #expect(flow.primaryAction == .startAgain)
        await flow.advance()
        #expect(flow.inputs.map(\.name) == ["otp"])
        await server.http.stop()
    }
}

/// A person with a passkey.
private final class ScriptedPasskeys: PasskeyAuthenticator {
    private let asked = Locked(0)

    var timesAsked: Int { asked.withLock { $0 } }

    func assertion(for request: PasskeyRequest) async throws -> PasskeyAssertion {
        asked.withLock { $0 += 1 }
        return PasskeyAssertion(
            credentialID: Data("id".utf8), clientDataJSON: Data("client".utf8), authenticatorData: Data("a".utf8),
            signature: Data("s".utf8))
    }

    func registration(for creation: PasskeyCreation) async throws -> PasskeyRegistration {
        asked.withLock { $0 += 1 }
        return PasskeyRegistration(
            credentialID: Data("id".utf8), clientDataJSON: Data("client".utf8),
            attestationObject: Data("attestation".utf8))
    }
}
