import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing
import ThunderID
import ThunderIDSwiftUI

/// Forms over the flows beside the sign-in: sign-out, registration, recovery, onboarding, at the local server.
@MainActor @Suite(.endsInTime) struct OtherFlowFormTests {
    // MARK: Sign-out

    @Test("A sign-out asks where the flow does, and ends the session here too")
    func signOut() async throws {
        let fixture = try await FlowFixture { $0.signOutConfirmation = .always }
        let signIn = await fixture.flowPastPassword()
        #expect(signIn.outcome == .signedIn)
        let flow = await fixture.flow(.signOut)
        #expect(flow.headings == ["Leaving?"] && flow.inputs.isEmpty && flow.primaryAction == nil)
        #expect(flow.actions.map(\.title) == ["Sign Out"] && flow.actions.first?.type == "CONFIRM")
        #expect(try await fixture.client.isSignedIn())
        await flow.advance()
        #expect(flow.outcome == .finished && flow.error == nil && flow.notice == nil)
        #expect(try await fixture.client.isSignedIn() == false)
        await fixture.server.stop()
    }

    @Test("A sign-out without a question is done at once")
    func signOutAtOnce() async throws {
        let fixture = try await FlowFixture()
        _ = await fixture.flowPastPassword()
        let flow = await fixture.flow(.signOut)
        #expect(flow.outcome == .finished)
        #expect(try await fixture.client.isSignedIn() == false)
        await fixture.server.stop()
    }

    @Test("A sign-out that the server refuses ends nothing here")
    func refusedSignOut() async throws {
        let fixture = try await FlowFixture {
            $0.application.attestation = .platform(accepting: "good")
        }
        let state = ThunderIDState(client: fixture.client, handlers: SignInHandlers(webAuthenticator: fixture.browser))
        await state.start()
        await state.signIn()
        let flow = await fixture.flow(.signOut)
        #expect(flow.error != nil && flow.outcome == nil)
        #expect(try await fixture.client.isSignedIn())
        await fixture.server.stop()
    }

    // MARK: Registration

    @Test("A registration by invitation goes on in the same form when the link comes")
    func invitedRegistration() async throws {
        let fixture = try await FlowFixture { $0.registration = .init(byInvitation: true, endsSignedIn: true) }
        let flow = await fixture.flow(.registration)
        #expect(flow.inputs.map(\.kind) == [.email] && flow.inputs.map(\.title) == ["E-mail"])
        await flow.fillIn(["email": "grace@example.org"])
        #expect(flow.message == "Check Your Email")
        await flow.resume(with: try fixture.mailedLink())
        #expect(flow.inputs.map(\.kind) == [.username, .password] && flow.choosesPassword)
        #expect(flow.inputs.map(\.title) == ["Username", "Password"])
        await flow.fillIn(["username": "grace", "password": "Navy-1"])
        #expect(flow.outcome == .signedIn, "\(flow.error ?? "")")
        #expect(try await fixture.client.getUser().email == "grace@example.org")
        await fixture.server.stop()
    }

    @Test("Where registration is off, the form says so and can be tried again")
    func registrationDisabled() async throws {
        let fixture = try await FlowFixture { $0.application.isRegistrationEnabled = false }
        let flow = await fixture.flow(.registration)
        #expect(flow.error == "This application does not register users." && flow.primaryAction == .startAgain)
        await fixture.server.stop()
    }

    // MARK: Recovery

    @Test("A recovery of its own ends when the password is set, without a session")
    func recovery() async throws {
        let fixture = try await FlowFixture()
        let flow = await fixture.flow(.recovery)
        #expect(flow.headings == ["Password Recovery"] && flow.inputs.map(\.kind) == [.username])
        await flow.fillIn(["username": "ada"])
        #expect(flow.message == "Check Your Email")
        await flow.advance()
        #expect(flow.isWaitingForLink)
        await flow.resume(with: try fixture.mailedLink())
        #expect(flow.inputs.map(\.kind) == [.password] && flow.inputs.map(\.title) == ["New password"])
        #expect(flow.choosesPassword)
        await flow.fillIn(["password": "A-new-one-2"])
        #expect(flow.outcome == .finished && flow.message == "Password Reset Successful")
        #expect(try await fixture.client.isSignedIn() == false)
        await fixture.server.stop()
    }

    @Test("A link that arrives during the first request is gone on with afterwards, also when the view's task is over")
    func earlyLink() async throws {
        let fixture = try await FlowFixture()
        let sender = await fixture.flow(.recovery)
        await sender.fillIn(["username": "ada"])
        let (link, gate) = (try fixture.mailedLink(), AnswerGate())
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/flow/execute")
        let flow = SignInFlow(applicationId: fixture.server.application.id, type: .recovery)
        let first = Task { await flow.start(with: fixture.client) }
        await gate.waitForAnswer()
        let second = Task { await flow.resume(with: link) }
        await Task.yield()
        first.cancel()
        gate.open()
        await second.value
        #expect(flow.inputs.map(\.kind) == [.password] && flow.choosesPassword && flow.error == nil)
        await fixture.server.stop()
    }

    @Test("A start that is wanted while the first one is being cancelled is made up for")
    func startsAgain() async throws {
        let fixture = try await FlowFixture()
        let gate = AnswerGate()
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/flow/execute")
        let flow = SignInFlow(applicationId: fixture.server.application.id, type: .recovery)
        let first = Task { await flow.start(with: fixture.client) }
        await gate.waitForAnswer()
        first.cancel()
        await flow.start(with: fixture.client)
        #expect(flow.step != nil && flow.error == nil)
        gate.open()
        await fixture.server.stop()
    }

    @Test(
        "What the mail brings can be pasted or typed as well; what is wrong is said, and the right one is still taken")
    func enteredLink() async throws {
        for isPasted in [true, false] {
            let fixture = try await FlowFixture()
            let flow = await fixture.flow(.recovery)
            await flow.fillIn(["username": "ada"])
            await flow.advance()
            let field = try #require(flow.inputs.first)
            #expect(flow.isWaitingForLink && flow.inputs.count == 1 && flow.primaryAction == .proceed)
            #expect(field.title == "The link or code from the mail" && field.kind == .text)
            await flow.fillIn([field.name: "wrong"])
            #expect(flow.error == "The link or code is wrong, or no longer valid." && flow.isWaitingForLink)
            let requests = fixture.requestCount
            await flow.fillIn([field.name: "https://id.example/gate/invite?executionId=another&inviteToken=t"])
            #expect(flow.error?.contains("newest mail") == true && fixture.requestCount == requests)
            let message = try #require(fixture.server.messages.last)
            let link = try #require(message.link?.absoluteString)
            await flow.fillIn([field.name: isPasted ? "<\(link)>" : message.secret.reveal()])
            #expect(flow.error == nil && flow.inputs.map(\.kind) == [.password])
            await flow.fillIn(["password": "A-new-one-2"])
            #expect(flow.outcome == .finished && flow.message == "Password Reset Successful")
            await fixture.server.stop()
        }
    }

    @Test("A recovery asks again for the name of a user whom the server does not know, and mails nothing")
    func unknownRecovery() async throws {
        let fixture = try await FlowFixture()
        let flow = await fixture.flow(.recovery)
        await flow.fillIn(["username": "nobody"])
        #expect(flow.error == "This cannot go on with these details. Check them and try again.")
        #expect(flow.inputs.map(\.name) == ["username"] && fixture.server.messages.isEmpty)
        await fixture.server.stop()
    }

    // MARK: Onboarding

    @Test("An administrator creates a user: the unit is suggested, the fields are named, the new user can sign in")
    func creates() async throws {
        let fixture = try await FlowFixture()
        try await fixture.becomeAdministrator()
        let flow = await fixture.flow(.userOnboarding)
        #expect(flow.inputs.map(\.kind) == [.choice] && flow.inputs.map(\.title) == ["Organization unit"])
        #expect(!flow.value(for: "ouId").isEmpty)
        await flow.advance()
        #expect(flow.headings == ["A New User"] && flow.inputs.map(\.kind) == [.username, .email])
        #expect(flow.inputs.map(\.title) == ["Username", "E-mail"])
        #expect(flow.actions.map(\.title) == ["Create now", "Invite by e-mail", "Make a link to share"])
        await flow.fillIn(["username": "grace", "email": "grace@example.org"], pressing: "action_create_user")
        #expect(flow.headings == ["Welcome"] && flow.inputs.map(\.title) == ["Password", "First name"])
        await flow.fillIn(["password": "Navy-1"])
        #expect(flow.outcome == .finished && flow.message == "Registration complete")
        let signIn = await fixture.flow()
        await signIn.fillIn(["username": "grace", "password": "Navy-1"])
        #expect(signIn.outcome == .signedIn)
        await fixture.server.stop()
    }

    @Test("A link to share is shown; with it the registration is finished, with another one it is not")
    func sharesLink() async throws {
        let fixture = try await FlowFixture()
        try await fixture.becomeAdministrator()
        let flow = await fixture.flow(.userOnboarding)
        await flow.advance()
        await flow.fillIn(["username": "grace", "email": "grace@example.org"], pressing: "action_share_link")
        let copyable = try #require(flow.copyables.first)
        #expect(copyable.label == "Invitation link" && flow.message == "Invitation Sent")
        // The rest is another person's.
        await flow.advance()
        #expect(flow.outcome == .finished && flow.error == nil)

        let link = try #require(URL(string: copyable.text).flatMap(FlowLink.init))
        let forged = try #require(
            URL(string: "com.example.app://x?executionId=\(link.flowId)&inviteToken=forged").flatMap(FlowLink.init))
        let stranger = await fixture.flow(.userOnboarding, link: forged)
        #expect(
            stranger.error == "The link or code is wrong, or no longer valid."
                && stranger.primaryAction == .startAgain
        )
        let guest = await fixture.flow(.userOnboarding, link: link)
        #expect(guest.inputs.map(\.kind) == [.password, .text] && guest.inputs.map(\.required) == [true, false])
        await guest.fillIn(["password": "Navy-1", "given_name": "Grace"])
        #expect(guest.outcome == .finished && guest.message == "Registration complete")
        await fixture.server.stop()
    }

    @Test("An invitation is mailed to the address that was typed")
    func mailsInvitation() async throws {
        let fixture = try await FlowFixture()
        try await fixture.becomeAdministrator()
        let flow = await fixture.flow(.userOnboarding)
        await flow.advance()
        await flow.fillIn(["username": "grace", "email": "grace@example.org"], pressing: "action_invite_by_email")
        #expect(flow.message == "Invitation Sent" && flow.copyables.isEmpty)
        #expect(fixture.server.messages.last?.recipient == "grace@example.org")
        let guest = await fixture.flow(.userOnboarding, link: try fixture.mailedLink())
        #expect(guest.inputs.map(\.name) == ["password", "given_name"])
        await fixture.server.stop()
    }

    @Test("No one else may onboard, and the form says so")
    func notAdministrator() async throws {
        let fixture = try await FlowFixture()
        _ = await fixture.flowPastPassword()
        let flow = await fixture.flow(.userOnboarding)
        #expect(flow.error == "This account is not allowed to do that.")
        #expect(flow.isOver && flow.inputs.isEmpty && flow.outcome == nil)
        await fixture.server.stop()
    }
}
