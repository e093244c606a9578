import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing
import ThunderID
import ThunderIDSwiftUI

/// The state below `thunderIDProvider(config:)`, without views.
@MainActor @Suite(.endsInTime) struct ThunderIDStateTests {
    private func state(_ fixture: FlowFixture) -> ThunderIDState {
        ThunderIDState(
            client: ThunderIDClient(environment: IdentityEnvironment(store: MemoryTokenStore())),
            config: fixture.config, handlers: SignInHandlers(webAuthenticator: fixture.browser))
    }

    @Test("A start sets the client up once and says who is signed in")
    func start() async throws {
        let fixture = try await FlowFixture()
        let state = state(fixture)
        #expect(!state.isReady)
        await state.start()
        #expect(state.isReady)
        #expect(!state.isSignedIn)
        await state.start()
        #expect(state.error == nil)
        await fixture.server.stop()
    }

    @Test("A redirect sign-in and a sign-out change the state")
    func redirect() async throws {
        let fixture = try await FlowFixture()
        let state = state(fixture)
        await state.start()
        await state.signIn()
        #expect(state.error == nil)
        #expect(state.isSignedIn)
        #expect(state.user?.sub == fixture.server.user.id)
        await state.signOut()
        #expect(!state.isSignedIn)
        #expect(state.user == nil)
        await fixture.server.stop()
    }

    @Test("A sign-out is shown while the server is still silent, and the person may sign in again")
    func shownFirst() async throws {
        let fixture = try await FlowFixture()
        let state = state(fixture)
        await state.start()
        await state.signIn()
        let gate = AnswerGate()
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/oauth2/revoke")
        let signOut = Task { await state.signOut() }
        await gate.waitForAnswer()
        while state.isLoading { await Task.yield() }
        #expect(!state.isSignedIn && state.user == nil && state.isReady)
        await state.signIn()
        #expect(state.isSignedIn && !state.isLoading)
        gate.open()
        await signOut.value
        #expect(state.isSignedIn && !state.isLoading && state.error == nil)
        await fixture.server.stop()
    }

    @Test("A tap on sign-in during a sign-out is not lost, a second one does nothing more, and it is busy throughout")
    func tapsDuringSignOut() async throws {
        let fixture = try await FlowFixture()
        let gate = ScriptedLogin(username: fixture.server.user.username, password: fixture.server.user.password)
        let (pages, page) = AsyncStream.makeStream(of: String.self)
        let (permits, permit) = AsyncStream.makeStream(of: Void.self)
        let browser = ScriptedBrowser { url in
            page.yield(url.lastPathComponent)
            for await _ in permits { break }
            return url.lastPathComponent == "logout" ? url : try await gate.signIn(at: url)
        }
        let state = ThunderIDState(
            client: fixture.client, config: nil, handlers: SignInHandlers(webAuthenticator: browser))
        await state.start()
        var shown = pages.makeAsyncIterator()
        permit.yield()
        await state.signIn()
        #expect(await shown.next() == "authorize")
        let signOut = Task { await state.signOut(endsBrowserSession: true) }
        #expect(await shown.next() == "logout")
        #expect(!state.isSignedIn && state.isLoading)
        let taps = (0..<2).map { _ in Task { await state.signIn() } }
        permit.yield()
        #expect(await shown.next() == "authorize")
        #expect(!state.isSignedIn && state.isLoading)
        permit.yield()
        for task in taps + [signOut] { await task.value }
        #expect(state.isSignedIn && !state.isLoading && state.error == nil)
        page.finish()
        #expect(await shown.next() == nil)
        await fixture.server.stop()
    }

    @Test("What another client of the store does is shown")
    func follows() async throws {
        let (fixture, store) = (try await FlowFixture(), MemoryTokenStore())
        let states = (0..<2).map { _ in
            ThunderIDState(
                client: ThunderIDClient(environment: IdentityEnvironment(store: store)), config: fixture.config,
                handlers: SignInHandlers(webAuthenticator: fixture.browser))
        }
        for state in states { await state.start() }
        await states[0].signIn()
        while !states[1].isSignedIn { await Task.yield() }
        #expect(states[1].user?.sub == fixture.server.user.id)
        await states[0].signOut()
        while states[1].isSignedIn { await Task.yield() }
        #expect(states[1].user == nil)
        await fixture.server.stop()
    }

    @Test("A look that ends late shows nobody who has signed out meanwhile")
    func lateLook() async throws {
        // Only a request tells who has the session.
        let fixture = try await FlowFixture {
            ($0.application.accessTokenAttributes, $0.application.idTokenAttributes) = ([], [])
        }
        fixture.server.http.fail(.answer(.text("", status: 404)), pathPrefix: "/users/me", times: .max)
        let store = MemoryTokenStore()
        let states = (0..<2).map { _ in
            ThunderIDState(
                client: ThunderIDClient(environment: IdentityEnvironment(store: store)), config: fixture.config,
                handlers: SignInHandlers(webAuthenticator: fixture.browser))
        }
        await states[0].start()
        await states[0].signIn()
        let gate = AnswerGate()
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/oauth2/userinfo")
        let look = Task { await states[1].start() }
        await gate.waitForAnswer()
        await states[1].signOut()
        gate.open()
        await look.value
        #expect(states[1].isReady && !states[1].isSignedIn && states[1].user == nil)
        await fixture.server.stop()
    }

    @Test("A native sign-in is found by a refresh")
    func native() async throws {
        let fixture = try await FlowFixture()
        let state = ThunderIDState(client: fixture.client)
        await state.start()
        let flow = SignInFlow(applicationId: fixture.server.application.id)
        await flow.start(with: state.client)
        await flow.fillIn(["username": "ada", "password": "Enchantress-1"])
        await state.refresh()
        #expect(state.isSignedIn)
        #expect(state.user?.sub == fixture.server.user.id)
        await fixture.server.stop()
    }

    @Test("An app that starts without a network shows itself to a user who is signed in")
    func startsOffline() async throws {
        let fixture = try await FlowFixture()
        let state = state(fixture)
        await state.start()
        await state.signIn()
        await fixture.server.stop()
        let next = ThunderIDState(client: state.client)
        await next.start()
        #expect(next.isReady && next.isSignedIn)
    }

    @Test("Without a network a user stays signed in, with what was known of them")
    func offline() async throws {
        let fixture = try await FlowFixture()
        let state = state(fixture)
        await state.start()
        await state.signIn()
        let user = state.user
        await fixture.server.stop()
        await state.refresh()
        #expect(state.isSignedIn && state.isReady)
        #expect(state.user == user)
    }

    @Test("A person about whom the server says nothing now is not shown as the one before")
    func nextPerson() async throws {
        let grace = LocalThunderIDServer.User(
            id: "01900000-0000-7000-8000-0000000000b2", username: "grace", attributes: ["email": "grace@example.org"])
        // Only a request tells who has the session.
        let fixture = try await FlowFixture {
            ($0.application.accessTokenAttributes, $0.application.idTokenAttributes) = ([], [])
            $0.additionalUsers = [grace]
        }
        let state = ThunderIDState(client: fixture.client, handlers: SignInHandlers(webAuthenticator: fixture.browser))
        await state.start()
        await state.signIn()
        #expect(state.user?.sub == fixture.server.user.id)
        for path in ["/users/me", "/oauth2/userinfo"] {
            fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: path, times: .max)
        }
        let login = ScriptedLogin(username: grace.username, password: grace.password)
        let browser = ScriptedBrowser { try await login.signIn(at: $0) }
        let next = ThunderIDState(client: fixture.client, handlers: SignInHandlers(webAuthenticator: browser))
        await next.signIn()
        await state.refresh()
        #expect(state.isSignedIn && state.user == nil && state.error == nil)
        fixture.server.http.clearFaults()
        await state.recover()
        #expect(state.user?.sub == grace.id)
        await fixture.server.stop()
    }

    @Test("A page that the person closes is no error")
    func closedPage() async throws {
        let fixture = try await FlowFixture()
        let state = ThunderIDState(
            client: fixture.client,
            handlers: SignInHandlers(webAuthenticator: ScriptedBrowser { _ in throw CancellationError() }))
        await state.start()
        await state.signIn()
        #expect(state.error == nil)
        #expect(!state.isSignedIn)
        await fixture.server.stop()
    }

    @Test("Without a browser a redirect sign-in says what is missing")
    func noBrowser() async throws {
        let fixture = try await FlowFixture()
        let state = ThunderIDState(client: fixture.client)
        await state.start()
        await state.signIn()
        #expect(state.error != nil)
        await fixture.server.stop()
    }

    @Test("A wrong configuration is said, and nothing is ready")
    func wrongConfiguration() async {
        let state = ThunderIDState(config: ThunderIDConfig(baseUrl: "http://id.example.com"))
        await state.start()
        #expect(!state.isReady)
        #expect(state.error != nil)
    }
}
