import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import TestSupport
import Testing
import ThunderID

/// Sign-ins that a person confirms in a message (OpenID Connect CIBA, poll mode).
@Suite struct MessageSignInTests {
    /// A server whose application may send messages, and a client whose waiting moves the clock.
    private struct Scene {
        let server: LocalThunderIDServer
        let clock = ManualClock()
        let wire = Wire()
        let store = MemoryTokenStore()
        let naps = Locked<[Duration]>([])
        let shown = Locked<[(recipient: String?, bindingMessage: String)]>([])

        init(grants: Set<LocalThunderIDServer.Application.GrantType> = [.backchannel, .refreshToken]) async throws {
            var configuration = LocalThunderIDServer.Configuration()
            configuration.application.grantTypes = grants
            server = try await LocalThunderIDServer.start(configuration: configuration, clock: clock)
        }

        /// - Parameters:
        ///   - lag: by how much less the server's clock moves during a nap, by the number of naps before.
        ///   - nap: happens after each.
        func environment(
            prompter: (any FlowPrompter)? = nil, lag: @escaping @Sendable (Int) -> Duration = { _ in .zero },
            _ nap: @escaping @Sendable (Int) throws -> Void
        ) -> IdentityEnvironment {
            let own = ManualClock(start: clock.now)
            let time = TimeSource(now: { own.now }) { [clock, naps] duration in
                let count = naps.withLock {
                    $0.append(duration); return $0.count
                }
                own.advance(by: duration)
                clock.advance(by: duration - lag(count - 1))
                try nap(count)
            }
            let presenter = Presenter { [shown] recipient, text in shown.withLock { $0.append((recipient, text)) } }
            return IdentityEnvironment(
                store: store, transport: wire, prompter: prompter, deviceCodePresenter: presenter, time: time)
        }

        func client(
            bindsTokens: Bool = false, lag: @escaping @Sendable (Int) -> Duration = { _ in .zero },
            _ nap: @escaping @Sendable (Int) throws -> Void
        ) async throws -> ThunderIDClient {
            let client = ThunderIDClient(environment: environment(lag: lag, nap))
            try await client.initialize(
                config: ThunderIDConfig(
                    baseUrl: server.url.absoluteString, clientId: server.application.clientID,
                    scopes: ["openid", "profile", "email"], bindsTokens: bindsTokens, allowsLoopbackHTTP: true))
            return client
        }

        func provider(_ environment: IdentityEnvironment) throws -> ThunderIDProvider {
            let settings = ThunderIDSettings(
                baseURL: try ServerURL(server.url.absoluteString, allowsLoopbackHTTP: true),
                clientID: server.application.clientID, method: .message, allowsLoopbackHTTP: true)
            return try ThunderIDProvider(
                settings: settings, context: ProviderContext(name: "work", environment: environment))
        }

        func answer(_ reply: LocalThunderIDServer.Reply) throws {
            let message = try #require(server.messages.last)
            #expect(message.purpose == .signInRequest && message.recipient == "ada@example.org")
            try server.answer(message, with: reply)
        }

        func signIn(_ client: ThunderIDClient, as name: String = "ada") async throws -> User {
            try await client.signIn(byMessageTo: name) { [shown] text, _ in
                shown.withLock { $0.append((name, text)) }
            }
        }

        var polls: [Wire.Exchange] {
            wire.requests(to: "/oauth2/token").filter {
                $0.parameter("grant_type") == "urn:openid:params:grant-type:ciba"
            }
        }

        func errors() -> [String?] { polls.map { $0.answeredJSON?["error"]?.stringValue } }
    }

    private struct Presenter: DeviceCodePresenter {
        let take: @Sendable (String?, String) -> Void

        func show(_ code: DeviceCode) async throws { throw CancellationError() }
        func showConfirmation(to recipient: String?, bindingMessage: String, expiresAt: Date) async throws {
            take(recipient, bindingMessage)
        }
    }

    @Test("The person confirms, and the session is refreshed later", arguments: [false, true])
    func confirmed(bindsTokens: Bool) async throws {
        let scene = try await Scene()
        let client = try await scene.client(bindsTokens: bindsTokens) { if $0 == 2 { try scene.answer(.confirm) } }
        let user = try await scene.signIn(client)
        #expect(user.sub == scene.server.user.id && user.email == "ada@example.org")
        #expect(scene.errors() == ["authorization_pending", nil])
        #expect(scene.naps.withLock { $0 } == [.seconds(5), .seconds(5)])
        // Both devices show one text.
        let shown = try #require(scene.shown.withLock { $0.first })
        #expect(shown.bindingMessage.count == 7)
        #expect(scene.server.messages.last?.secret.reveal() == shown.bindingMessage)
        let begun = try #require(scene.wire.requests(to: "/oauth2/bc-authorize").first)
        #expect(begun.parameter("login_hint") == "ada" && begun.parameter("scope") == "openid profile email")

        // In another process, on a clock that nobody's waiting moves.
        let later = ThunderIDClient(
            environment: IdentityEnvironment(store: scene.store, transport: scene.wire, time: scene.clock.dates))
        try await later.initialize(config: try client.getConfiguration())
        let first = try await later.getAccessToken()
        let second = try await later.getAccessToken(replacing: first)
        #expect(first != second)
        let refresh = try #require(scene.wire.requests(to: "/oauth2/token").last)
        #expect(refresh.parameter("grant_type") == "refresh_token" && refresh.status == 200)
        #expect((refresh.header("DPoP") != nil) == bindsTokens)
        await scene.server.stop()
    }

    @Test("A server that is asked too often is asked less often")
    func slowDown() async throws {
        let scene = try await Scene()
        let client = try await scene.client(lag: { $0 == 1 ? .seconds(1) : .zero }) {
            if $0 == 3 { try scene.answer(.confirm) }
        }
        _ = try await scene.signIn(client)
        #expect(scene.errors() == ["authorization_pending", "slow_down", nil])
        #expect(scene.naps.withLock { $0 } == [.seconds(5), .seconds(5), .seconds(10)])
        await scene.server.stop()
    }

    @Test("A person who refuses has not signed in")
    func denied() async throws {
        let scene = try await Scene()
        let client = try await scene.client { if $0 == 1 { try scene.answer(.refuse) } }
        let error = await iamError { try await scene.signIn(client) }
        #expect(error?.code == .authenticationFailed && error?.failureClass == .definitive)
        #expect(error?.message == "The sign-in was refused in the message.")
        #expect(scene.errors() == ["access_denied"])
        #expect(try await !client.isSignedIn())
        await scene.server.stop()
    }

    @Test("A message that nobody answers expires")
    func expired() async throws {
        let scene = try await Scene()
        let client = try await scene.client { _ in }
        let error = await iamError { try await scene.signIn(client) }
        #expect(error?.code == .confirmationCodeExpired)
        #expect(scene.polls.count == 59 && scene.errors().allSatisfy { $0 == "authorization_pending" })
        // An answer that comes too late opens nothing.
        try scene.answer(.confirm)
        #expect(try await !client.isSignedIn())
        await scene.server.stop()
    }

    @Test("A name that nobody has, and an application without the grant, are refused before anything is shown")
    func refused() async throws {
        let scene = try await Scene()
        let client = try await scene.client { _ in }
        let error = await iamError { try await scene.signIn(client, as: "nobody") }
        #expect(error?.code == .authenticationFailed && error?.message.contains("these details") == true)
        let other = try await Scene(grants: [.authorizationCode])
        let refusal = await iamError { try await other.signIn(other.client { _ in }) }
        #expect(refusal?.code == .invalidConfiguration)
        #expect(refusal?.message.contains("urn:openid:params:grant-type:ciba") == true)
        for scene in [scene, other] {
            #expect(scene.shown.withLock { $0.isEmpty } && scene.server.messages.isEmpty)
            await scene.server.stop()
        }
    }

    @Test("A task that is cancelled stops asking")
    func cancelled() async throws {
        let scene = try await Scene()
        let client = try await scene.client { _ in throw CancellationError() }
        await #expect(throws: CancellationError.self) { try await scene.signIn(client) }
        #expect(scene.polls.isEmpty)
        await scene.server.stop()
    }

    @Test("A provider asks whom to ask, or takes the login hint, and names nobody without a presenter")
    func provider() async throws {
        let scene = try await Scene()
        let environment = scene.environment(prompter: ScriptedPrompter(["username": "ada@example.org"])) { _ in
            try scene.answer(.confirm)
        }
        let provider = try scene.provider(environment)
        #expect(provider.signInForm == .otherDevice)
        let account = AccountID(account: scene.server.user.id, realm: "work")
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == account)
        #expect(scene.shown.withLock { $0.first?.recipient } == "ada@example.org")
        let hinted = SignInWishes(loginHint: "ada")
        #expect(try await provider.signIn(scopes: [], deviceToken: "d", options: hinted) == account)
        #expect(scene.shown.withLock { $0.last?.recipient } == "ada")
        await #expect(throws: SignInOptionsError.self) {
            try await provider.signIn(scopes: [], deviceToken: "d", options: .init(prompt: "login"))
        }
        var silent = environment
        silent.deviceCodePresenter = nil
        #expect(try await scene.provider(silent).signIn(scopes: [], deviceToken: "d") == nil)
        await scene.server.stop()
    }
}
