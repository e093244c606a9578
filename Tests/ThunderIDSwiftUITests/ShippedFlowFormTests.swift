import IdentityKit
import IdentityLocalServers
import Testing
import ThunderID
import ThunderIDSwiftUI

/// Forms over the flows that ThunderID ships.
@MainActor @Suite struct ShippedFlowFormTests {
    @Test("A sign-in shows the server's labels, takes the password and signs in")
    func signIn() async throws {
        let fixture = try await FlowFixture()
        let flow = await fixture.flow()
        #expect(flow.inputs.map(\.name) == ["username", "password"])
        #expect(flow.inputs.map(\.label) == ["Username", "Password"])
        #expect(flow.error == nil)
        await flow.fillIn(["username": "ada", "password": "Enchantress-1"])
        #expect(flow.outcome == .signedIn)
        #expect(try await fixture.client.isSignedIn())
        #expect(flow.value(for: "password").isEmpty)
        await fixture.server.stop()
    }

    @Test("A wrong password is said, the name stays and the password goes")
    func wrongPassword() async throws {
        let fixture = try await FlowFixture()
        let flow = await fixture.flow()
        await flow.fillIn(["username": "ada", "password": "guess"])
        #expect(flow.error == "The user name or the password is wrong. Try again.")
        #expect(flow.value(for: "username") == "ada")
        #expect(flow.value(for: "password").isEmpty)
        #expect(flow.outcome == nil)
        await flow.fillIn(["password": "Enchantress-1"])
        #expect(flow.outcome == .signedIn)
        #expect(flow.error == nil)
        await fixture.server.stop()
    }

    @Test("A field that must not be empty is found before anything is sent")
    func emptyField() async throws {
        let fixture = try await FlowFixture()
        let flow = await fixture.flow()
        let requests = fixture.server.http.log.count
        await flow.fillIn(["username": "ada"])
        #expect(flow.problems.keys.sorted() == ["password"])
        #expect(fixture.server.http.log.count == requests)
        flow.setValue("x", for: "password")
        #expect(flow.problems.isEmpty)
        await fixture.server.stop()
    }

    @Test("Registering on the way signs in; the link needs no password")
    func signUpOnTheWay() async throws {
        let fixture = try await FlowFixture()
        let flow = await fixture.flow()
        await flow.fillIn(["username": "grace", "password": "typed by mistake"], pressing: "action_signup")
        #expect(flow.actions.map(\.id).contains("action_credentials"))
        #expect(flow.value(for: "password").isEmpty)
        await flow.fillIn(["username": "grace", "password": "Navy-1"])
        #expect(flow.inputs.map(\.name) == ["email"])
        await flow.fillIn(["email": "grace@example.org"])
        #expect(flow.outcome == .signedIn)
        await fixture.server.stop()
    }

    @Test("A registration of its own ends without signing in")
    func registration() async throws {
        let fixture = try await FlowFixture()
        let flow = await fixture.flow(.registration)
        await flow.fillIn(["username": "ada", "password": "Navy-1"])
        #expect(flow.error != nil)
        await flow.fillIn(["username": "grace", "password": "Navy-1"])
        await flow.fillIn(["email": "grace@example.org"])
        #expect(flow.outcome == .finished)
        #expect(try await fixture.client.isSignedIn() == false)
        // It is done: another tap on the button makes no second account.
        let requests = fixture.server.http.log.count
        await flow.advance()
        #expect(fixture.server.http.log.count == requests)
        await fixture.server.stop()
    }

    @Test("Several kinds of users are options")
    func userTypes() async throws {
        let application = LocalThunderIDServer.Application(userTypes: ["Person", "Customer"])
        let fixture = try await FlowFixture(configuration: .init(application: application))
        let flow = await fixture.flow(.registration)
        #expect(flow.inputs.first?.options == ["Person", "Customer"])
        await flow.fillIn(["userType": "Somebody"])
        #expect(flow.problems["userType"] != nil)
        await flow.fillIn(["userType": "Customer"])
        #expect(flow.inputs.map(\.name) == ["username", "password"])
        await fixture.server.stop()
    }

    @Test("A recovery on the way shows its message, goes on from the mailed link, and leads back to the sign-in")
    func recovery() async throws {
        let fixture = try await FlowFixture()
        let flow = await fixture.flow()
        await flow.fillIn([:], pressing: "action_forgot_password")
        await flow.fillIn(["username": "ada"])
        #expect(flow.message == "Check Your Email")
        #expect(flow.primaryAction == .proceed)

        let message = try #require(fixture.server.messages.first)
        let link = try #require(
            FlowLink(
                fixture.server.url.appendingPathComponent("gate/invite").appending(queryItems: [
                    .init(name: "executionId", value: message.executionID),
                    .init(name: "inviteToken", value: message.secret.reveal()),
                ])))
        let second = await fixture.flow(link: link)
        #expect(second.inputs.map(\.name) == ["password"])
        await second.fillIn(["password": "A-new-one-2"])
        if second.outcome == nil, second.primaryAction == .proceed { await second.advance() }
        // That begins no session, so the form asks.
        #expect(second.notice == "Password Reset Successful")
        #expect(second.inputs.map(\.name) == ["username", "password"])
        await second.fillIn(["username": "ada", "password": "A-new-one-2"])
        #expect(second.outcome == .signedIn)
        await fixture.server.stop()
    }

    @Test("A wrong code in a recovery on the way ends the server's flow: another sign-in begins, and says why")
    func wrongCode() async throws {
        let fixture = try await FlowFixture()
        let flow = await fixture.flow()
        await flow.fillIn([:], pressing: "action_forgot_password")
        await flow.fillIn(["username": "ada"])
        await flow.advance()
        let field = try #require(flow.inputs.first)
        await flow.fillIn([field.name: "wrong"])
        #expect(flow.notice?.contains("has ended this request") == true && flow.error == nil)
        #expect(flow.inputs.map(\.name) == ["username", "password"])
        await flow.fillIn(["username": "ada", "password": fixture.server.user.password.reveal()])
        #expect(flow.outcome == .signedIn)
        await fixture.server.stop()
    }

    @Test("A button that was not offered is refused, and nothing is sent")
    func inventedAction() async throws {
        let fixture = try await FlowFixture()
        let flow = await fixture.flow()
        let requests = fixture.server.http.log.count
        await flow.advance("action_admin")
        #expect(flow.error != nil)
        #expect(fixture.server.http.log.count == requests)
        await fixture.server.stop()
    }

    @Test("A view that comes back finds the step it left")
    func comesBack() async throws {
        let fixture = try await FlowFixture()
        let flow = await fixture.flow()
        flow.setValue("ada", for: "username")
        let requests = fixture.server.http.log.count
        await flow.start(with: fixture.client)
        #expect(flow.value(for: "username") == "ada")
        #expect(fixture.server.http.log.count == requests)
        await fixture.server.stop()
    }

    @Test("No value shows when a form is printed")
    func secrecy() async throws {
        let fixture = try await FlowFixture()
        let flow = await fixture.flow()
        flow.setValue("Enchantress-1", for: "password")
        var dumped = ""
        dump(flow, to: &dumped)
        #expect(!dumped.contains("Enchantress-1"))
        #expect(!"\(flow)".contains("Enchantress-1"))
        await fixture.server.stop()
    }
}
