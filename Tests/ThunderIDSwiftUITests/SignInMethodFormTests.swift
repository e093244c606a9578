import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing
import ThunderID
import ThunderIDSwiftUI

/// Forms over the ways to sign in that an administrator may choose, at the local server.
@MainActor @Suite struct SignInMethodFormTests {
    private typealias Connection = LocalThunderIDServer.Connection

    @Test(
        "A code is typed in digits; a wrong one is said and goes, another one can be sent",
        arguments: LocalThunderIDServer.SignInFlow.Channel.allCases)
    func oneTimeCode(channel: LocalThunderIDServer.SignInFlow.Channel) async throws {
        let fixture = try await FlowFixture { $0.signIn.methods = [.oneTimeCode(channel)] }
        let flow = await fixture.flow()
        #expect(flow.inputs.map(\.kind) == [.username])
        #expect(flow.actions.map(\.title) == ["Continue"] && !flow.canStartAgain)
        await flow.fillIn(["username": "ada"])
        #expect(flow.inputs.map(\.kind) == [.oneTimeCode] && flow.inputs.map(\.title) == ["Code"])
        #expect(flow.inputs.first?.placeholder == "The six digits we sent" && flow.inputs.first?.isSecret == true)
        #expect(flow.headings == ["One More Step"] && flow.hasNumericCode)
        #expect(flow.actions.map(\.title) == ["Verify", "Send another code"])
        #expect(fixture.server.messages.last?.channel == channel)

        await flow.fillIn(["otp": try fixture.mailedCode().wrong])
        #expect(flow.error == "The code is wrong or has expired." && flow.outcome == nil)
        #expect(flow.value(for: "otp").isEmpty && flow.canStartAgain)
        await flow.fillIn(["otp": "typed by mistake"], pressing: "action_resend_otp")
        #expect(fixture.server.messages.count == 2 && flow.error == nil)
        #expect(try fixture.newestInputs().isEmpty)
        await flow.fillIn(["otp": try fixture.mailedCode().right])
        #expect(flow.outcome == .signedIn && flow.error == nil)
        await fixture.server.stop()
    }

    @Test("A code that came too late is a wrong one, and too many codes end the flow")
    func tooManyCodes() async throws {
        let fixture = try await FlowFixture { $0.signIn.methods = [.oneTimeCode(.sms)] }
        let flow = await fixture.flow()
        await flow.fillIn(["username": "ada"])
        fixture.clock.advance(by: .seconds(121))
        await flow.fillIn(["otp": try fixture.mailedCode().right])
        #expect(flow.error == "The code is wrong or has expired.")
        for _ in 0..<3 { await flow.advance("action_resend_otp") }
        #expect(flow.error == "Too many codes were asked for. Start again later.")
        #expect(flow.isOver && flow.primaryAction == .startAgain && !flow.canStartAgain)
        await flow.advance()
        #expect(flow.inputs.map(\.name) == ["username"] && flow.error == nil && !flow.isOver)
        await fixture.server.stop()
    }

    @Test("A mailed link is waited for, and nothing that is pressed can spoil it")
    func magicLink() async throws {
        let fixture = try await FlowFixture { $0.signIn.methods = [.magicLink] }
        let flow = await fixture.flow()
        await flow.fillIn(["username": "ada"])
        #expect(flow.message == "Check Your Email" && flow.primaryAction == .proceed && !flow.isWaitingForLink)
        await flow.advance()
        #expect(flow.isWaitingForLink && flow.inputs.map(\.title) == ["The link or code from the mail"])
        #expect(flow.actions.isEmpty && flow.primaryAction == .proceed)
        #expect(flow.message == "Check Your Email" && flow.canStartAgain)
        let requests = fixture.requestCount
        await flow.advance()
        #expect(flow.error != nil && fixture.requestCount == requests)
        let link = try fixture.mailedLink()
        await flow.resume(with: link)
        #expect(flow.outcome == .signedIn && !flow.isWaitingForLink)
        #expect(try await fixture.client.isSignedIn())
        // The view that comes back still has the link.
        let spent = fixture.requestCount
        await flow.resume(with: link)
        #expect(flow.outcome == .signedIn && fixture.requestCount == spent)
        await fixture.server.stop()
    }

    @Test("A link that is no longer valid is said, and the flow begins again without it")
    func spentLink() async throws {
        let fixture = try await FlowFixture { $0.signIn.methods = [.magicLink] }
        let flow = await fixture.flow()
        await flow.fillIn(["username": "ada"])
        let address = "com.example.app://link?id=\(flow.step?.flowId ?? "")&token=forged"
        let forged = try #require(URL(string: address).flatMap(FlowLink.init))
        let other = await fixture.flow(link: forged)
        #expect(other.error == "The link is no longer valid. Ask for a new one.")
        #expect(other.primaryAction == .startAgain)
        await other.advance()
        #expect(other.inputs.map(\.name) == ["username"] && other.error == nil)
        await fixture.server.stop()
    }

    @Test("A passkey is asked for without fields; a refused one once more on request")
    func passkey() async throws {
        let fixture = try await FlowFixture {
            $0.signIn = .init(methods: [.password, .passkey, .usernamelessPasskey], steps: [.enrolPasskey])
        }
        let passkeys = SoftwarePasskeys()
        let handlers = SignInHandlers(passkeys: passkeys)
        let flow = await fixture.flow(handlers: handlers)
        #expect(flow.headings == ["How would you like to sign in?"] && flow.inputs.isEmpty)
        #expect(flow.actions.map(\.title) == ["With a password", "With a passkey", "With a passkey"])
        await flow.advance("action_password")
        // A registration that the server refuses first.
        passkeys.setElsewhere(true)
        await flow.fillIn(["username": "ada", "password": "Enchantress-1"])
        #expect(flow.error != nil && flow.primaryAction == .tryAgain && flow.inputs.isEmpty && flow.outcome == nil)
        passkeys.setElsewhere(false)
        await flow.advance()
        #expect(flow.outcome == .signedIn && passkeys.timesAsked == 2)

        for method in ["action_passkey_login", "action_usernameless_passkey"] {
            let next = await fixture.flow(handlers: handlers)
            passkeys.setElsewhere(true)
            await next.advance(method)
            if !next.inputs.isEmpty { await next.fillIn(["username": "ada"]) }
            #expect(next.error == "The passkey was not accepted. Try again.", "\(method)")
            #expect(next.inputs.isEmpty && next.primaryAction == .tryAgain && next.canStartAgain)
            passkeys.setElsewhere(false)
            let asked = passkeys.timesAsked
            await next.advance()
            // The passkey was accepted: what follows is the offer of another one.
            #expect(try next.step?.passkeyCreation != nil || next.outcome == .signedIn, "\(method)")
            #expect(passkeys.timesAsked > asked)
        }
        await fixture.server.stop()
    }

    @Test("Without a passkey the form says so, and the person begins again")
    func noPasskey() async throws {
        let fixture = try await FlowFixture { $0.signIn.methods = [.passkey] }
        let flow = await fixture.flow(handlers: SignInHandlers(passkeys: SoftwarePasskeys()))
        await flow.fillIn(["username": "ada"])
        #expect(flow.error == "There is no passkey for this account. Sign in another way.")
        #expect(flow.primaryAction == .startAgain && flow.inputs.isEmpty)
        await fixture.server.stop()
    }

    @Test("Another identity provider's page opens by itself and signs in")
    func federated() async throws {
        let fixture = try await FlowFixture { $0.signIn.methods = [.federated(Connection())] }
        let flow = await fixture.flow(handlers: SignInHandlers(webAuthenticator: fixture.upstreamBrowser))
        #expect(flow.outcome == .signedIn && flow.error == nil)
        await fixture.server.stop()
    }

    @Test("A sign-in that ends at a page of the server's own opens no browser, which would never come back")
    func federatedAtTheServer() async throws {
        let fixture = try await FlowFixture {
            $0.signIn.methods = [.federated(Connection(redirectURI: "/gate/signin"))]
        }
        let isOpened = Locked(false)
        let browser = ScriptedBrowser { _ in
            isOpened.withLock { $0 = true }
            throw CancellationError()
        }
        let flow = await fixture.flow(handlers: SignInHandlers(webAuthenticator: browser))
        #expect(flow.error == "This sign-in goes on in a browser, which cannot be opened here.")
        #expect(!isOpened.withLock { $0 })
        await fixture.server.stop()
    }

    @Test("A page that was closed leaves one button and no field; a provider that refuses is said")
    func federatedRefusal() async throws {
        let fixture = try await FlowFixture {
            $0.signIn.methods = [.federated(Connection(answer: .refuses(error: "access_denied")))]
        }
        let closing = SignInHandlers(webAuthenticator: ScriptedBrowser { _ in throw CancellationError() })
        let closed = await fixture.flow(handlers: closing)
        #expect(closed.inputs.isEmpty && closed.primaryAction == .tryAgain && closed.error == nil)
        let refused = await fixture.flow(handlers: SignInHandlers(webAuthenticator: fixture.upstreamBrowser))
        #expect(refused.error == "The sign-in was cancelled at the other identity provider.")
        #expect(refused.inputs.isEmpty && refused.primaryAction == .tryAgain && refused.outcome == nil)
        await fixture.server.stop()
    }

    @Test("A person who chose the wrong way begins again and chooses another")
    func chooser() async throws {
        let fixture = try await FlowFixture {
            $0.signIn.methods = [.oneTimeCode(.sms), .magicLink, .password, .federated(Connection(name: "Acme"))]
        }
        let flow = await fixture.flow()
        #expect(
            flow.actions.map(\.title)
                == ["With a code by SMS", "With a link by e-mail", "With a password", "Continue with Acme"])
        #expect(flow.inputs.isEmpty && flow.primaryAction == nil && !flow.canStartAgain)
        await flow.advance("action_sms_otp")
        #expect(flow.inputs.map(\.name) == ["username"] && flow.canStartAgain)
        await flow.restart()
        #expect(flow.actions.count == 4 && !flow.canStartAgain)
        await flow.advance("action_password")
        await flow.fillIn(["username": "ada", "password": "Enchantress-1"])
        #expect(flow.outcome == .signedIn)
        await fixture.server.stop()
    }

    @Test("A step without a layout has names for labels and one button")
    func promptless() async throws {
        let fixture = try await FlowFixture { $0.signIn.methods = [.promptlessPassword] }
        let flow = await fixture.flow()
        #expect(flow.inputs.map(\.title) == ["Username", "Password"] && flow.inputs.map(\.label) == [nil, nil])
        #expect(flow.inputs.map(\.kind) == [.username, .password])
        #expect(flow.actions.isEmpty && flow.primaryAction == .proceed)
        await flow.fillIn(["username": "ada", "password": "guess"])
        #expect(flow.error == "The user name or the password is wrong. Try again.")
        #expect(flow.value(for: "password").isEmpty)
        await flow.fillIn(["username": "ada", "password": "Enchantress-1"])
        #expect(flow.outcome == .signedIn)
        await fixture.server.stop()
    }

    @Test("That there is no session yet is no error")
    func noSession() async throws {
        let fixture = try await FlowFixture { $0.signIn.keepsSession = true }
        let flow = await fixture.flow()
        #expect(flow.error == nil && flow.inputs.map(\.name) == ["username", "password"])
        await flow.fillIn(["username": "ada", "password": "Enchantress-1"])
        #expect(flow.outcome == .signedIn)
        await fixture.server.stop()
    }

    @Test("A flow that took too long begins again")
    func expired() async throws {
        let fixture = try await FlowFixture()
        let flow = await fixture.flow()
        fixture.clock.advance(by: .seconds(3601))
        await flow.fillIn(["username": "ada", "password": "Enchantress-1"])
        #expect(flow.error == "The sign-in took too long or was finished already. Start again.")
        #expect(flow.isOver && flow.primaryAction == .startAgain)
        await flow.advance()
        #expect(flow.inputs.map(\.name) == ["username", "password"] && flow.error == nil)
        await fixture.server.stop()
    }
}
