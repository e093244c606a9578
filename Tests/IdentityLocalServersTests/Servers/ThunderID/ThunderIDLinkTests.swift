import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID links: magic links, invitations, recovery, onboarding", .stopsServers)
struct ThunderIDLinkTests {
    // MARK: Magic link

    @Test("A magic link signs in without a challenge token")
    func magicLink() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(methods: [.magicLink]))
        let shown = try await visitor.resume(try await visitor.startSignIn(), inputs: ["username": "ada"])
        #expect(shown.flowStatus == "INCOMPLETE")
        #expect(shown["data"] == ["additionalData": ["message": "Check Your Email"]])
        let message = try visitor.lastMessage()
        #expect(message.purpose == .magicLink)
        #expect(message.link?.parameter("id") == message.executionID)
        #expect(message.link?.parameter("token") == message.secret.reveal())
        let done = try await visitor.resume(with: message, as: "token")
        #expect(done.flowStatus == "COMPLETE")
        let authenticators = try claims(of: done["assertion"])["assurance"]?["authenticators"]
        #expect(authenticators?.arrayValue?.first?["authenticator"] == "MagicLinkAuthenticator")
    }

    @Test("A guessed token is no magic link, and an unknown user gets none", arguments: ["ada", "nobody"])
    func wrongMagicLink(username: String) async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(methods: [.magicLink]))
        let shown = try await visitor.resume(try await visitor.startSignIn(), inputs: ["username": username])
        #expect(shown.additional("message") == "Check Your Email")
        #expect(visitor.server.messages.isEmpty == (username == "nobody"))
        let wrong = try await visitor.flow([
            "executionId": shown["executionId"] ?? .null, "inputs": ["token": "guess"],
        ])
        #expect(wrong.flowStatus == "ERROR" && wrong.errorCode == "FET-1010" && wrong["assertion"] == nil)
    }

    // MARK: Recovery

    @Test(
        "The link of a recovery leads to the hosted page, or to an app's own address", arguments: [nil, "app://reset"])
    func recoveryLink(base: String?) async throws {
        let visitor = try await ThunderIDVisitor.start(.init { $0.linkBaseURL = base })
        let first = try await visitor.start("RECOVERY")
        _ = try await visitor.resume(first, action: "action_submit_username", inputs: ["username": "ada"])
        let message = try visitor.lastMessage()
        let link = try #require(message.link)
        #expect(link.absoluteString.hasPrefix((base ?? "\(visitor.server.url)/gate/invite") + "?"))
        #expect(link.parameter("applicationId") == visitor.server.application.id)
        #expect(link.parameter("executionId") == message.executionID)
        #expect(link.parameter("inviteToken") == message.secret.reveal())
        #expect(link.parameter("authId") == nil)
    }

    @Test("A page that waits gets a prompt for the token, without action or description")
    func bareTokenPrompt() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.start("RECOVERY", verbose: true)
        let shown = try await visitor.resume(first, action: "action_submit_username", inputs: ["username": "ada"])
        #expect(shown["data"]?["meta"] != nil)
        let asked = try await visitor.resume(shown)
        #expect(
            asked["data"] == [
                "inputs": [
                    [
                        "ref": "input_recovery_token", "identifier": "inviteToken", "type": "HIDDEN",
                        "required": true,
                    ]
                ]
            ])
        let prompt = try await visitor.resume(
            asked, inputs: ["inviteToken": try visitor.lastMessage().secret.reveal()])
        #expect(prompt.identifiers == ["password"])
    }

    @Test("The link from the sign-in page ends without an assertion, and so does the way back in with one")
    func recoveryWithinSignIn() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let asked = try await visitor.resume(try await visitor.startSignIn(), action: "action_forgot_password")
        _ = try await visitor.resume(asked, action: "action_submit_username", inputs: ["username": "ada"])
        let prompt = try await visitor.resume(with: try visitor.lastMessage())
        let done = try await visitor.resume(prompt, inputs: ["password": "A-new-one-2"])
        #expect(done.flowStatus == "COMPLETE" && done["assertion"] == nil)

        let recovery = try await visitor.start("RECOVERY")
        let signIn = try await visitor.resume(recovery, action: "action_signin")
        let signedIn = try await visitor.resume(
            signIn, action: "action_001", inputs: ["username": "ada", "password": "A-new-one-2"])
        #expect(signedIn["assertion"] != nil, "the flow that was called yields one")
    }

    // MARK: Registration

    @Test("A registration can begin with an invitation, and can end with an assertion", arguments: [false, true])
    func invitedRegistration(endsSignedIn: Bool) async throws {
        let registration = LocalThunderIDServer.RegistrationFlow(byInvitation: true, endsSignedIn: endsSignedIn)
        let visitor = try await ThunderIDVisitor.start(.init { $0.registration = registration })
        let first = try await visitor.start("REGISTRATION")
        #expect(first.input("email")?["type"] == "EMAIL_INPUT")
        let shown = try await visitor.resume(first, inputs: ["email": "grace@example.org"])
        #expect(shown.additional("emailSent") == "true")
        let message = try visitor.lastMessage()
        #expect(message.purpose == .invitation)
        #expect(message.recipient == "grace@example.org")
        let credentials = try await visitor.resume(with: message)
        #expect(credentials.identifiers == ["username", "password"])
        let done = try await visitor.resume(
            credentials, action: "action_credentials", inputs: ["username": "grace", "password": "Navy-1"])
        #expect(done.flowStatus == "COMPLETE", "the address is known, so nothing else is asked")
        #expect((done["assertion"] != nil) == endsSignedIn)
    }

    // MARK: Onboarding

    @Test("Only an administrator starts an onboarding")
    func onboardingGuard() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let tokens = try await visitor.signIn()
        for bearer in [nil, tokens["access_token"]?.stringValue, "stale"] {
            let headers = bearer.map { ["Authorization": "Bearer \($0)"] } ?? [:]
            let refused = try await visitor.flow(["flowType": "USER_ONBOARDING"], headers: headers)
            #expect(refused.status == 200 && refused.flowStatus == "ERROR")
            #expect(refused.errorCode == "FET-1027")
        }
    }

    @Test(
        "An invited user resumes the administrator's execution",
        arguments: ["action_invite_by_email", "action_share_link"])
    func onboarding(action: String) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let prompt = try await visitor.startOnboarding()
        let shown = try await visitor.resume(
            prompt, action: action, inputs: ["username": "grace", "email": "grace@example.org"])
        #expect(shown.flowStatus == "INCOMPLETE")
        let token: String
        if action == "action_share_link" {
            let link = try #require(shown.additional("inviteLink").flatMap(URL.init(string:)))
            token = try #require(link.parameter("inviteToken"))
            #expect(visitor.server.messages.isEmpty)
        } else {
            token = try visitor.lastMessage().secret.reveal()
        }
        let wrong = try await visitor.flow([
            "executionId": shown["executionId"] ?? .null, "inputs": ["inviteToken": "guess"],
        ])
        #expect(wrong.errorCode == "FET-1073")
        let welcome = try await visitor.flow([
            "executionId": shown["executionId"] ?? .null, "inputs": ["inviteToken": .string(token)],
        ])
        #expect(welcome.identifiers == ["password", "given_name"])
        let done = try await visitor.resume(welcome, inputs: ["password": "Navy-1"])
        #expect(done.flowStatus == "COMPLETE" && done.additional("message") == "Registration complete")
        #expect(done["assertion"] == nil)

        let signedIn = try await visitor.resume(
            try await visitor.startSignIn(), action: "action_001",
            inputs: ["username": "grace", "password": "Navy-1"])
        #expect(signedIn["assertion"] != nil)
    }

    @Test("A unit that does not exist is asked for again")
    func unknownUnit() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let token = try visitor.server.administratorToken().reveal()
        let unit = try await visitor.flow(
            ["flowType": "USER_ONBOARDING"], headers: ["Authorization": "Bearer \(token)"])
        let again = try await visitor.resume(unit, inputs: ["ouId": "no-such-unit"])
        #expect(again.input("ouId")?["type"] == "OU_SELECT")
    }

    @Test("An administrator can also create the user at once")
    func directOnboarding() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let prompt = try await visitor.startOnboarding()
        let password = try await visitor.resume(
            prompt, action: "action_create_user", inputs: ["username": "grace", "email": "grace@example.org"])
        let done = try await visitor.resume(password, inputs: ["password": "Navy-1", "given_name": "Grace"])
        #expect(done.additional("message") == "Registration complete")
    }
}

extension ThunderIDVisitor {
    /// Starts an onboarding as an administrator and chooses the only unit there is.
    fileprivate func startOnboarding() async throws -> Answer {
        let token = try server.administratorToken().reveal()
        let unit = try await flow(["flowType": "USER_ONBOARDING"], headers: ["Authorization": "Bearer \(token)"])
        #expect(unit.input("ouId")?["type"] == "OU_SELECT")
        return try await resume(unit, inputs: ["ouId": try #require(unit.additional("rootOuId"))])
    }
}
