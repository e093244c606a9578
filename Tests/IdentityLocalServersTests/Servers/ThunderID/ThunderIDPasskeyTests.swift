import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID passkeys", .stopsServers)
struct ThunderIDPasskeyTests {
    private let authenticator = SoftwareAuthenticator()

    @Test("A passkey is made after a password and signs in the next time", arguments: [false, true])
    func enrolment(isUsernameless: Bool) async throws {
        let visitor = try await start()
        try await visitor.enrol(authenticator)
        let chosen = isUsernameless ? "action_usernameless_passkey" : "action_passkey_login"
        var step = try await visitor.resume(try await visitor.startSignIn(), action: chosen)
        if !isUsernameless { step = try await visitor.resume(step, inputs: ["username": "ada"]) }
        #expect(
            step.identifiers == ["credentialId", "clientDataJSON", "authenticatorData", "signature", "userHandle"])
        #expect(step.input("userHandle")?["required"] == false)
        #expect(step.input("signature")?["type"] == "string")
        let options = try JSONValue(parsing: Data(try #require(step.additional("passkeyChallenge")).utf8))
        #expect(options["publicKey"] == nil, "the options are flat")
        #expect(options["rpId"] == "example.com")
        #expect((options["allowCredentials"] == nil) == isUsernameless)

        let answer = try authenticator.sign(try #require(step.additional("passkeyChallenge")))
        let second = try await visitor.resume(step, inputs: answer)
        #expect(second.additional("passkeyCreationOptions") != nil, "the flow goes on")
        let excluded = try JSONValue(
            parsing: Data(try #require(second.additional("passkeyCreationOptions")).utf8))["excludeCredentials"]
        #expect(excluded?.arrayValue?.count == 1)
    }

    @Test("The assertion names the passkey")
    func authenticatorName() async throws {
        let visitor = try await start()
        try await visitor.enrol(authenticator)
        let step = try await visitor.resume(try await visitor.startSignIn(), action: "action_usernameless_passkey")
        let other = SoftwareAuthenticator()
        let enrolment = try await visitor.resume(
            step, inputs: try authenticator.sign(try #require(step.additional("passkeyChallenge"))))
        let done = try await visitor.resume(
            enrolment, inputs: try other.create(try #require(enrolment.additional("passkeyCreationOptions"))))
        let names = try claims(of: done["assertion"])["assurance"]?["authenticators"]?.arrayValue
        #expect(names?.map { $0["authenticator"] } == ["Passkey"])
    }

    @Test(
        "An answer that does not fit is asked for again",
        arguments: ["signature", "clientDataJSON", "authenticatorData", "credentialId", "userHandle"])
    func damagedAnswer(member: String) async throws {
        let visitor = try await start()
        try await visitor.enrol(authenticator)
        let step = try await visitor.resume(try await visitor.startSignIn(), action: "action_usernameless_passkey")
        let challenge = try #require(step.additional("passkeyChallenge"))
        var answer = try authenticator.sign(challenge)
        answer[member] = String((answer[member] ?? "").reversed())
        let refused = try await visitor.resume(step, inputs: answer)
        #expect(refused.flowStatus == "INCOMPLETE" && refused.errorCode == "FET-1015")
        #expect(refused.identifiers.count == 5)
        let accepted = try await visitor.resume(refused, inputs: try authenticator.sign(challenge))
        #expect(accepted.additional("passkeyCreationOptions") != nil)
    }

    @Test("A passkey used from an unlisted origin is refused, when it is made and when it signs")
    func foreignOrigin() async throws {
        let elsewhere = SoftwareAuthenticator(origin: "https://example.org")
        let visitor = try await start()
        let offer = try await visitor.passChosenPassword()
        let refused = try await visitor.resume(
            offer, inputs: try elsewhere.create(try #require(offer.additional("passkeyCreationOptions"))))
        #expect(refused.flowStatus == "INCOMPLETE" && refused.errorCode == "FET-1018")
    }

    @Test("An answer to an earlier challenge is refused")
    func replayedAnswer() async throws {
        let visitor = try await start()
        try await visitor.enrol(authenticator)
        let first = try await visitor.resume(
            try await visitor.startSignIn(), action: "action_usernameless_passkey")
        let answer = try authenticator.sign(try #require(first.additional("passkeyChallenge")))
        let second = try await visitor.resume(
            try await visitor.startSignIn(), action: "action_usernameless_passkey")
        #expect(try await visitor.resume(second, inputs: answer).errorCode == "FET-1015")
    }

    @Test("A user without a passkey gets no passkey challenge")
    func noPasskey() async throws {
        let visitor = try await start()
        let step = try await visitor.resume(try await visitor.startSignIn(), action: "action_passkey_login")
        let refused = try await visitor.resume(step, inputs: ["username": "ada"])
        #expect(refused.flowStatus == "ERROR" && refused.errorCode == "FET-1016")
    }

    private func start() async throws -> ThunderIDVisitor {
        try await ThunderIDVisitor.start(
            signIn: .init(methods: [.password, .passkey, .usernamelessPasskey], steps: [.enrolPasskey]))
    }
}

extension ThunderIDVisitor {
    /// Signs in with the password, which a chooser offers.
    fileprivate func passChosenPassword() async throws -> Answer {
        let prompt = try await resume(try await startSignIn(), action: "action_password")
        return try await resume(prompt, ["action": "action_001", "inputs": credentials])
    }

    /// Signs in with the password and makes a passkey.
    fileprivate func enrol(_ authenticator: SoftwareAuthenticator) async throws {
        let offer = try await passChosenPassword()
        let done = try await resume(
            offer, inputs: try authenticator.create(try #require(offer.additional("passkeyCreationOptions"))))
        #expect(done.flowStatus == "COMPLETE")
    }
}
