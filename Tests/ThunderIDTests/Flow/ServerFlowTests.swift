import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import Testing
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Flows beyond a password, run to their end at the local server.
@Suite struct ServerFlowTests {
    private typealias Configuration = LocalThunderIDServer.Configuration

    /// Goes on with a flow.
    private func go(
        _ fixture: ClientFixture, _ step: EmbeddedFlowResponse, _ inputs: [String: String] = [:], action: Int = 0
    ) async throws -> EmbeddedFlowResponse {
        let chosen = step.actions.indices.contains(action) ? step.actions[action].id : nil
        return try await fixture.client.signIn(
            payload: .init(flowId: step.flowId, actionId: chosen, inputs: inputs), request: fixture.request)
    }

    private func start(_ fixture: ClientFixture, _ type: FlowType = .authentication) async throws
        -> EmbeddedFlowResponse
    {
        try await fixture.client.signIn(
            payload: .init(), request: .init(applicationId: fixture.server.application.id, flowType: type))
    }

    @Test("A second factor: the wrong code is asked for again, the right one signs in")
    func secondFactor() async throws {
        let fixture = try await ClientFixture(configuration: Configuration { $0.signIn.steps = [.oneTimeCode(.email)] })
        let asked = try await go(fixture, start(fixture), fixture.credentials)
        #expect(asked.oneTimeCode?.wasSentByEmail == true && asked.inputs.map(\.type) == ["OTP_INPUT"])
        let code = try #require(fixture.server.messages.last?.secret.reveal())
        let wrong = try await go(fixture, asked, ["otp": code == "000000" ? "000001" : "000000"])
        #expect(wrong.error?.code == .mfaFailed && wrong.flowStatus == .promptOnly)
        let last = try #require(fixture.server.messages.last?.secret.reveal())
        #expect(try await go(fixture, wrong, ["otp": last]).establishesSession)
        #expect(try await fixture.client.getUser().sub == fixture.server.user.id)
        await fixture.server.stop()
    }

    @Test("Something to read is gone on from")
    func notice() async throws {
        let fixture = try await ClientFixture(configuration: Configuration { $0.signIn.steps = [.notice("Read this")] })
        let step = try await go(fixture, start(fixture), fixture.credentials)
        #expect(step.isDisplayOnly && step.message == "Read this")
        #expect(try await go(fixture, step).establishesSession)
        await fixture.server.stop()
    }

    @Test("A refusal that nothing catches is an error, and a flow without an assertion begins no session")
    func endings() async throws {
        let refused = try await ClientFixture(configuration: Configuration { $0.signIn.steps = [.refusal] })
        let failure = try await go(refused, start(refused), refused.credentials)
        #expect(failure.flowStatus == .error && failure.error?.serverCode == "FET-1028")
        #expect(try await refused.client.isSignedIn() == false)
        await refused.server.stop()
        let empty = try await ClientFixture(
            configuration: Configuration { $0.signIn.ending = .notice("Come back later") }
        ) {
            $0.nativeSession = .assertion
        }
        let end = try await go(empty, start(empty), empty.credentials)
        #expect(end.flowStatus == .complete && !end.establishesSession && end.message == "Come back later")
        #expect(try await empty.client.isSignedIn() == false)
        await empty.server.stop()
    }

    @Test(
        "Consent is given element by element; without what is essential there is no sign-in. A second step asks nothing.",
        arguments: [1, 2])
    func consent(steps: Int) async throws {
        let fixture = try await ClientFixture(
            configuration: Configuration { $0.signIn.steps = Array(repeating: .consent(), count: steps) })
        let asked = try await go(fixture, start(fixture), fixture.credentials)
        let question = try #require(asked.consentQuestion)
        #expect(question.purposes.first?.essential == ["email"])
        let denied = try await go(fixture, asked, ["consent_decisions": question.decisions(agreeingTo: [])])
        #expect(denied.error?.code == .consentRequired)
        let again = try await go(fixture, start(fixture), fixture.credentials)
        let answer = try #require(again.consentQuestion).decisions(agreeingTo: ["email"])
        #expect(try await go(fixture, again, ["consent_decisions": answer]).establishesSession)
        await fixture.server.stop()
    }

    @Test("Another identity provider signs in by code and state", arguments: [true, false])
    func federated(isForged: Bool) async throws {
        let fixture = try await ClientFixture(
            configuration: Configuration { $0.signIn.methods = [.federated(.init())] })
        let step = try await start(fixture)
        let redirection = try #require(step.redirection)
        #expect(redirection.callbackURI?.absoluteString == "com.example.app://federated")
        #expect(redirection.providerName == "Upstream")
        let answer = try await fixture.wire.data(for: URLRequest(url: redirection.url)).1
        let callback = try #require(answer.value(forHTTPHeaderField: "Location"))
        if isForged {
            let state = try #require(CallbackURL(redirection.url)["state"])
            let forged = try #require(URL(string: callback.replacing(state, with: "forged")))
            #expect(await iamError { try step.payload(for: forged) }?.code == .invalidGrant)
        } else {
            let payload = try step.payload(for: #require(URL(string: callback)))
            #expect(try await fixture.client.signIn(payload: payload, request: fixture.request).establishesSession)
        }
        await fixture.server.stop()
    }

    @Test("A passkey is made, and signs in the next time")
    func passkeys() async throws {
        let fixture = try await ClientFixture(
            configuration: Configuration {
                $0.signIn = .init(methods: [.usernamelessPasskey, .password], steps: [.enrolPasskey])
            })
        let authenticator = SoftwareAuthenticator()
        let chooser = try await start(fixture)
        let password = try await go(fixture, chooser, action: 1)
        let creation = try await go(fixture, password, fixture.credentials)
        #expect(try creation.passkeyCreation?.relyingPartyID == "example.com")
        let made = try authenticator.create(#require(creation.data?.additional("passkeyCreationOptions")))
        #expect(try await go(fixture, creation, made).establishesSession)

        let asked = try await go(fixture, start(fixture), action: 0)
        #expect(try asked.passkeyRequest?.allowedCredentials.isEmpty == true)
        let signed = try authenticator.sign(#require(asked.data?.additional("passkeyChallenge")))
        let next = try await go(fixture, asked, signed)
        #expect(try next.passkeyCreation?.excludedCredentials.count == 1)
        await fixture.server.stop()
    }

    @Test("A mailed link signs in, from wherever it is opened")
    func magicLink() async throws {
        let fixture = try await ClientFixture(configuration: Configuration { $0.signIn.methods = [.magicLink] })
        let waiting = try await go(fixture, start(fixture), ["username": fixture.server.user.username])
        #expect(waiting.flowStatus == .promptOnly)
        let link = try #require(fixture.server.messages.last?.link.flatMap(FlowLink.init))
        #expect(link.flowId == waiting.flowId)
        let end = try await fixture.client.signIn(payload: link.payload, request: fixture.request)
        #expect(end.establishesSession)
        await fixture.server.stop()
    }

    @Test("A forgotten password is set anew by a mailed link")
    func recovery() async throws {
        let fixture = try await ClientFixture()
        let sent = try await go(
            fixture, start(fixture, .recovery), ["username": fixture.server.user.username])
        #expect(sent.isDisplayOnly)
        let link = try #require(fixture.server.messages.last?.link.flatMap(FlowLink.init))
        let chosen = try await fixture.client.signIn(payload: link.payload, request: fixture.request)
        #expect(chosen.inputs.map(\.name) == ["password"])
        let done = try await go(fixture, chosen, ["password": "New-password-1"])
        #expect(done.flowStatus == .complete && !done.establishesSession)
        #expect(try await fixture.signIn(nil, ["username": "ada", "password": "New-password-1"]).establishesSession)
        await fixture.server.stop()
    }

    @Test("A registration that ends signed in is a session")
    func registration() async throws {
        let fixture = try await ClientFixture(configuration: Configuration { $0.registration.endsSignedIn = true })
        var step = try await start(fixture, .registration)
        step = try await go(fixture, step, ["username": "new", "password": "New-password-1"])
        step = try await go(fixture, step, ["email": "new@example.org"])
        #expect(step.flowStatus == .complete && step.establishesSession)
        #expect(try await fixture.client.getUser().email == "new@example.org")
        await fixture.server.stop()
    }

    @Test("A refused detail of a new user is named, and is there to be corrected", arguments: ["taken", "malformed"])
    func refusedRegistration(address: String) async throws {
        let fixture = try await ClientFixture()
        var step = try await go(
            fixture, start(fixture, .registration), ["username": "new", "password": "New-password-1"])
        step = try await go(fixture, step, ["email": address == "taken" ? "ada@example.org" : "no-address"])
        let error = try #require(step.error)
        #expect(step.flowStatus == .error && error.failureClass == .definitive)
        #expect(error.code == (address == "taken" ? .userAlreadyExists : .invalidInput))
        #expect(error.serverCode == (address == "taken" ? "FET-1080" : "FET-1021"))
        #expect(error.message.contains("email") && error.message.contains("Correct it"), "\(error.message)")
        await fixture.server.stop()
    }

    @Test("Where every request must be pushed or proved, natively and in a browser, it is")
    func pushedAndBound() async throws {
        let fixture = try await ClientFixture(
            configuration: Configuration {
                $0.requiresPushedRequests = true
                $0.requiresDPoP = true
            }
        ) { $0.bindsTokens = true }
        let page = try await fixture.client.signInURL()
        // The metadata are known now, and say so.
        #expect(await iamError { try fixture.client.buildSignInURL() }?.code == .invalidConfiguration)
        let user = try await fixture.client.handleRedirectCallback(url: fixture.visit(page))
        #expect(user.sub == fixture.server.user.id)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await fixture.client.getAccessToken()
        #expect(try await fixture.signIn().establishesSession)
        #expect(fixture.wire.requests(to: "/oauth2/token").allSatisfy { $0.header("DPoP") != nil })
        await fixture.server.stop()
    }

    @Test("An application that requires a push names the setting for it, and takes a request with it")
    func pushedForOneApplication() async throws {
        let configuration = Configuration { $0.application.requiresPushedRequests = true }
        let plain = try await ClientFixture(configuration: configuration) { $0.pushesAuthorizationRequests = false }
        let error = await iamError { try await plain.signIn() }
        #expect(error?.message.contains("pushesAuthorizationRequests") == true)
        await plain.server.stop()
        let pushing = try await ClientFixture(configuration: configuration)
        #expect(try await pushing.signIn().establishesSession)
        await pushing.server.stop()
    }

    @Test("A server that signs with an elliptic curve is understood")
    func ellipticCurve() async throws {
        let fixture = try await ClientFixture(configuration: Configuration { $0.signingAlgorithm = .es256 })
        #expect(try await fixture.signInByRedirect().sub == fixture.server.user.id)
        await fixture.server.stop()
    }
}
