import Foundation
import IdentityKit
import IdentityLocalServers
import Testing
import ThunderID

@Suite struct ClientNativeTests {
    @Test("A registration without an application's name is that of the client")
    func registration() async throws {
        let fixture = try await ClientFixture(configuration: .withOneRedirect)
        let step = try await fixture.client.signUp()
        #expect(step.flowId != nil && step.flowStatus != .error)
        let named = try await fixture.client.signUp(
            request: EmbeddedFlowRequestConfig(applicationId: fixture.server.application.id, flowType: .registration))
        #expect(step.inputs.map(\.name) == named.inputs.map(\.name))
        let usual = EmbeddedFlowRequestConfig(applicationId: fixture.server.application.id)
        #expect(try await fixture.client.signUp(request: usual).inputs.map(\.name) == named.inputs.map(\.name))
        let bare = try await fixture.restarted { $0.afterSignInUrl = nil }
        #expect(try await bare.signUp().inputs.map(\.name) == named.inputs.map(\.name))
        let nameless = try await fixture.restarted {
            $0 = ThunderIDConfig(baseUrl: $0.baseUrl, allowsLoopbackHTTP: true)
        }
        #expect(await iamError { try await nameless.signUp() }?.code == .invalidConfiguration)
        await fixture.server.stop()
    }

    @Test("The client's identifier alone is enough for a sign-in that can be refreshed")
    func clientAlone() async throws {
        let fixture = try await ClientFixture(configuration: .withOneRedirect) { $0.afterSignInUrl = nil }
        let request = EmbeddedFlowRequestConfig(applicationId: "")
        let first = try await fixture.client.signIn(payload: .init(), request: request)
        let last = try await fixture.client.signIn(
            payload: .init(flowId: first.flowId, actionId: first.actions.first?.id, inputs: fixture.credentials),
            request: request)
        #expect(last.establishesSession)
        let token = try await fixture.client.getAccessToken()
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.client.getAccessToken() != token)
        await fixture.server.stop()
    }

    @Test("The client's identifier alone is enough for a sign-in that ends in an assertion")
    func clientAloneWithAssertion() async throws {
        let fixture = try await ClientFixture(configuration: .withOneRedirect) {
            $0.afterSignInUrl = nil
            $0.nativeSession = .assertion
        }
        let request = EmbeddedFlowRequestConfig(applicationId: "")
        let first = try await fixture.client.signIn(payload: .init(), request: request)
        let last = try await fixture.client.signIn(
            payload: .init(flowId: first.flowId, actionId: first.actions.first?.id, inputs: fixture.credentials),
            request: request)
        #expect(last.assertion != nil)
        #expect(try await fixture.client.getAccessToken() == last.assertion)
        await fixture.server.stop()
    }

    @Test("The loop of the page: an empty payload, then inputs and the action, until the flow is complete")
    func loop() async throws {
        let fixture = try await ClientFixture()
        let first = try await fixture.client.signIn(payload: .init(), request: fixture.request)
        #expect(first.flowStatus == .promptOnly && !first.establishesSession)
        #expect(first.inputs.map(\.name) == ["username", "password"])
        #expect(first.inputs.map(\.type) == ["TEXT_INPUT", "PASSWORD_INPUT"])
        #expect(first.inputs.map(\.required) == [true, true])
        #expect(first.inputs.map(\.isSecret) == [false, true])
        #expect(first.actions.first?.id == "action_001")
        let last = try await fixture.client.signIn(
            payload: .init(flowId: first.flowId, actionId: "action_001", inputs: fixture.credentials),
            request: fixture.request)
        #expect(last.flowStatus == .complete && last.establishesSession)
        #expect(try await fixture.client.isSignedIn())
        #expect(!fixture.client.isLoading())
        await fixture.server.stop()
    }

    @Test("The session of a native sign-in is the full one: a good token, an ID token, refreshes")
    func refreshable() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let token = try await fixture.client.getAccessToken()
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.client.getAccessToken() != token)
        #expect(fixture.server.counters.refreshes == 1)
        #expect(try await fixture.client.getUser().sub == fixture.server.user.id)
        await fixture.server.stop()
    }

    @Test("A wrong password is the same step again, with a reason; the right one then signs in")
    func wrongPassword() async throws {
        let fixture = try await ClientFixture()
        let wrong = try await fixture.signIn(nil, ["username": fixture.server.user.username, "password": "x"])
        #expect(wrong.flowStatus == .promptOnly)
        #expect(wrong.error?.code == .authenticationFailed && wrong.error?.serverCode == "FET-1005")
        #expect(wrong.failureReason == "The user name or the password is wrong. Try again.")
        #expect(wrong.inputs.map(\.name) == ["username", "password"])
        let unknown = try await fixture.client.signIn(
            payload: .init(
                flowId: wrong.flowId, actionId: "action_001", inputs: ["username": "nobody", "password": "x"]),
            request: fixture.request)
        #expect(unknown.failureReason == wrong.failureReason)
        let right = try await fixture.client.signIn(
            payload: .init(flowId: wrong.flowId, actionId: "action_001", inputs: fixture.credentials),
            request: fixture.request)
        #expect(right.establishesSession)
        await fixture.server.stop()
    }

    @Test(
        "The last submission can be repeated when the session could not begin, but not with other inputs",
        arguments: ["/oauth2/auth/callback", "/oauth2/token", "/oauth2/jwks"])
    func repeatedSubmission(path: String) async throws {
        let fixture = try await ClientFixture()
        for isRepeated in [false, true] {
            let first = try await fixture.client.signIn(payload: .init(), request: fixture.request)
            var payload = EmbeddedSignInPayload(
                flowId: first.flowId, actionId: first.actions.first?.id, inputs: fixture.credentials)
            fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: path)
            #expect(
                await iamError { try await fixture.client.signIn(payload: payload, request: fixture.request) }?
                    .failureClass == .transient)
            #expect(try await !fixture.client.isSignedIn())
            if isRepeated {
                let last = try await fixture.client.signIn(payload: payload, request: fixture.request)
                #expect(last.establishesSession)
                #expect(try await fixture.client.getUser().sub == fixture.server.user.id)
            } else {
                payload.inputs["username"] = "somebody"
                #expect(
                    await iamError { try await fixture.client.signIn(payload: payload, request: fixture.request) }
                        != nil)
                #expect(try await !fixture.client.isSignedIn())
            }
        }
        await fixture.server.stop()
    }

    @Test("Labels and placeholders are in words")
    func labels() async throws {
        let fixture = try await ClientFixture()
        let step = try await fixture.client.signIn(payload: .init(), request: fixture.request)
        #expect(step.inputs.map(\.label) == ["Username", "Password"])
        #expect(step.inputs.first?.placeholder == "Your username")
        #expect(step.actions.map(\.label) == ["Sign In", "Password forgotten? Reset it", "New here? Sign up"])
        #expect(step.data?.headings == ["Sign In"])
        #expect(fixture.wire.requests(to: "/flow/meta").count == 1)
        await fixture.server.stop()
    }

    @Test("A sign-in does not fail for want of labels")
    func noLabels() async throws {
        let fixture = try await ClientFixture()
        fixture.server.http.fail(.answer(.text("", status: 500)), pathPrefix: "/flow/meta", times: 2)
        #expect(try await fixture.signIn().establishesSession)
        await fixture.server.stop()
    }

    @Test("With an application identifier alone the assertion is the session, for an hour")
    func assertion() async throws {
        let fixture = try await ClientFixture {
            $0 = ThunderIDConfig(baseUrl: $0.baseUrl, allowsLoopbackHTTP: true)
        }
        let end = try await fixture.signIn()
        #expect(end.assertion != nil)
        #expect(try await fixture.client.getAccessToken() == end.assertion)
        #expect(try await fixture.client.getUser().username == fixture.server.user.username)
        #expect(try await fixture.client.sessionEnd() == fixture.clock.now + 3600)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.client.isSignedIn() == false)
        let error = await iamError { try await fixture.client.getAccessToken() }
        #expect(error?.code == .sessionExpired)
        #expect(fixture.wire.requests(to: "/oauth2/token").isEmpty)
        await fixture.server.stop()
    }

    @Test("Each session has its own person")
    func sessions() async throws {
        let grace = LocalThunderIDServer.User(
            id: "01900000-0000-7000-8000-0000000000b2", username: "grace", attributes: ["email": "grace@example.org"])
        let fixture = try await ClientFixture(configuration: .init(additionalUsers: [grace]))
        try await fixture.signIn()
        try await fixture.signIn(
            nil, ["username": "grace", "password": grace.password.reveal()], sessionId: "second")
        #expect(try await fixture.client.getUser().sub == fixture.server.user.id)
        #expect(try await fixture.client.getUser(options: ["sessionId": "second"]).sub == grace.id)
        let tokens = [
            try await fixture.client.getAccessToken(), try await fixture.client.getAccessToken(sessionId: "second"),
        ]
        #expect(tokens[0] != tokens[1])
        try await fixture.client.signOut(sessionId: "second")
        #expect(try await fixture.client.isSignedIn())
        #expect(try await fixture.client.isSignedIn(sessionId: "second") == false)
        await fixture.server.stop()
    }

    @Test("A flow that is over has to be started again")
    func expired() async throws {
        let fixture = try await ClientFixture()
        let first = try await fixture.client.signIn(payload: .init(), request: fixture.request)
        fixture.clock.advance(by: .seconds(3600))
        let error = await iamError {
            try await fixture.client.signIn(
                payload: .init(flowId: first.flowId, inputs: fixture.credentials), request: fixture.request)
        }
        #expect(error?.code == .sessionExpired && error?.serverCode == "FES-1004")
        await fixture.server.stop()
    }

    @Test("An unknown application is a wrong setting")
    func unknownApplication() async throws {
        let fixture = try await ClientFixture { $0.nativeSession = .assertion }
        let error = await iamError {
            try await fixture.client.signIn(payload: .init(), request: .init(applicationId: "nobody"))
        }
        #expect(error?.code == .invalidConfiguration && error?.serverCode == "FES-1003")
        let nameless = try await fixture.restarted {
            $0 = ThunderIDConfig(baseUrl: $0.baseUrl, allowsLoopbackHTTP: true)
            $0.nativeSession = .assertion
        }
        let missing = await iamError {
            try await nameless.signIn(payload: .init(), request: .init(applicationId: ""))
        }
        #expect(missing?.code == .invalidConfiguration)
        await fixture.server.stop()
    }

    @Test("Where the application identifier is not the client's own, its flow ends in an assertion, or is refused")
    func otherApplication() async throws {
        let other = LocalThunderIDServer.Application(id: "other-application", clientID: "other")
        let fixture = try await ClientFixture(configuration: .init(additionalApplications: [other]))
        let first = try await fixture.client.signIn(payload: .init(), request: .init(applicationId: other.id))
        let last = try await fixture.client.signIn(
            payload: .init(flowId: first.flowId, actionId: first.actions.first?.id, inputs: fixture.credentials),
            request: .init(applicationId: other.id))
        #expect(last.assertion != nil)
        #expect(try await fixture.client.getAccessToken() == last.assertion)
        let strict = try await fixture.restarted { $0.nativeSession = .refreshable }
        let error = await iamError {
            try await strict.signIn(payload: .init(), request: .init(applicationId: other.id))
        }
        #expect(error?.code == .invalidConfiguration)
        await fixture.server.stop()
    }

    @Test("While it works, the client is loading")
    func loading() async throws {
        let fixture = try await ClientFixture { $0.attestationEnabled = false }
        let seen = Locked<Bool?>(nil)
        let client = ThunderIDClient(
            environment: IdentityEnvironment(store: MemoryTokenStore(), time: fixture.clock.dates))
        try await client.initialize(
            config: fixture.config {
                $0.nativeSession = .assertion
                $0.attestationEnabled = true
                $0.attestationTokenProvider = {
                    seen.withLock { $0 = client.isLoading() }
                    return "attestation"
                }
            })
        _ = try await client.signIn(payload: .init(), request: fixture.request)
        #expect(seen.withLock { $0 } == true)
        #expect(!client.isLoading())
        await fixture.server.stop()
    }
}
