import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID one-time codes", .stopsServers)
struct ThunderIDCodeTests {
    @Test("A second factor is one more step, and raises the level", arguments: [SignInFlowChannel.sms, .email])
    func secondFactor(channel: SignInFlowChannel) async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(steps: [.oneTimeCode(channel)]))
        let prompt = try await visitor.passPassword(verbose: true)
        #expect(prompt.flowStatus == "INCOMPLETE" && prompt["error"] == nil)
        #expect(prompt.input("otp")?["type"] == "OTP_INPUT")
        #expect(prompt.input("otp")?["ref"] == "otp_input")
        #expect(prompt.additional("otpLength") == "6")
        #expect(prompt.additional("otpNumericOnly") == "true")
        #expect(prompt.additional(channel == .sms ? "smsSent" : "emailSent") == "true")
        #expect(prompt.componentIDs.contains("otp_input"))

        let message = try visitor.lastMessage()
        #expect(message.channel == channel)
        #expect(message.purpose == .oneTimeCode)
        #expect(message.recipient == (channel == .sms ? "ada" : "ada@example.org"))
        let done = try await visitor.resume(
            prompt, action: "action_verify_otp", inputs: ["otp": message.secret.reveal()])
        let assurance = try claims(of: done["assertion"])["assurance"]
        #expect(assurance?["aal"] == "AAL2")
        #expect(
            assurance?["authenticators"]?.arrayValue?.map { $0["authenticator"] } == [
                "CredentialsAuthenticator", channel == .sms ? "SMSOTPAuthenticator" : "OTPAuthenticator",
            ])
    }

    @Test("A wrong code is asked for again with a new challenge token, and the right one still counts")
    func wrongCode() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(steps: [.oneTimeCode(.sms)]))
        let prompt = try await visitor.passPassword()
        let wrong = try await visitor.resume(prompt, action: "action_verify_otp", inputs: ["otp": "no"])
        #expect(wrong.flowStatus == "INCOMPLETE" && wrong.errorCode == "FET-1008")
        #expect(wrong.identifiers == ["otp"])
        #expect(wrong["challengeToken"] != prompt["challengeToken"])
        #expect(wrong.additional("otpLength") == nil, "it was not produced during this call")
        let done = try await visitor.resume(
            wrong, action: "action_verify_otp", inputs: ["otp": try visitor.lastMessage().secret.reveal()])
        #expect(done.flowStatus == "COMPLETE")
    }

    @Test("A code lives two minutes and counts once")
    func expiry() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(steps: [.oneTimeCode(.email)]))
        let prompt = try await visitor.passPassword()
        visitor.clock.advance(by: .seconds(120))
        let late = try await visitor.resume(
            prompt, action: "action_verify_otp", inputs: ["otp": try visitor.lastMessage().secret.reveal()])
        #expect(late.errorCode == "FET-1008")
    }

    @Test("A new code replaces the old one, and the fourth is refused")
    func resending() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(steps: [.oneTimeCode(.sms)]))
        var prompt = try await visitor.passPassword()
        let first = try visitor.lastMessage().secret.reveal()
        prompt = try await visitor.resume(prompt, action: "action_resend_otp")
        #expect(prompt.additional("smsSent") == "true")
        #expect(visitor.server.messages.count == 2)
        if try visitor.lastMessage().secret.reveal() != first {
            prompt = try await visitor.resume(prompt, action: "action_verify_otp", inputs: ["otp": first])
            #expect(prompt.errorCode == "FET-1008")
        }
        prompt = try await visitor.resume(prompt, action: "action_resend_otp")
        let refused = try await visitor.resume(prompt, action: "action_resend_otp")
        #expect(refused.flowStatus == "ERROR" && refused.errorCode == "FET-1009")
        #expect(visitor.server.messages.count == 3)
        let done = try await visitor.resume(
            prompt, action: "action_verify_otp", inputs: ["otp": try visitor.lastMessage().secret.reveal()])
        #expect(done.flowStatus == "ERROR", "the flow has left the prompt")
    }

    @Test("Without a password a name and a code are enough")
    func passwordless() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(methods: [.oneTimeCode(.email)]))
        let prompt = try await visitor.startSignIn()
        #expect(prompt.identifiers == ["username"])
        let unknown = try await visitor.resume(prompt, inputs: ["username": "nobody"])
        #expect(unknown.errorCode == "FET-1001")
        let code = try await visitor.resume(unknown, inputs: ["username": "ada"])
        let done = try await visitor.resume(
            code, action: "action_verify_otp", inputs: ["otp": try visitor.lastMessage().secret.reveal()])
        #expect(try claims(of: done["assertion"])["assurance"]?["aal"] == "AAL1")
    }
}

typealias SignInFlowChannel = LocalThunderIDServer.SignInFlow.Channel
