import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityPresets
import IdentityTesting
import InsForge
import TestSupport
import Testing

/// A sign-in screen that follows the configuration, at the local servers.
@Suite("A screen that follows the file", .endsInTime) struct FollowingScreenTests {
    /// Signs in as somebody who reads the rows: fills in what is asked for, and taps the primary button.
    private func signIn(with model: AppModel, name: Secret, password: Secret) async {
        await model.show { rows in
            var primary: SignInRow.Button?
            for row in rows {
                switch row {
                case .field(let field, _, nil, _):
                    await model.type(field.autofill == .password ? password : name, in: field)
                case .button(let button) where button.rank == .primary && button.isEnabled: primary = button
                default: break
                }
            }
            if case .continueAs? = primary?.action { return true }
            if let primary { await model.tap(primary) }
            return false
        }
    }

    @Test("One app signs in at every server and at a vendor of a preset, by a change of its configuration alone")
    func everywhere() async throws {
        let servers = try await ThreeServers()
        let login = servers.login
        let model = try AppModel(
            servers.configuration(.insForge), browser: ScriptedBrowser { try await login.signIn(at: $0) },
            time: servers.clock.dates)
        let following = Task { await model.run() }
        for backend in ThreeServers.Backend.allCases {
            try model.client.reload(servers.configuration(backend))
            // Nobody of the former server is offered.
            _ = try await model.engine.shown { $0.people.isEmpty && !$0.backends.isEmpty }
            let person = servers.person(at: backend)
            await signIn(with: model, name: person.name, password: person.password)
            #expect(try await model.client.account() == AccountID(account: person.id, realm: "work"))
            #expect(try await !model.client.accessToken().isEmpty)
        }
        // A vendor's preset. It leads to the last of these servers, whose session would be one of its own.
        try await model.client.signOut()
        try model.client.reload(servers.preset)
        let shown = try await model.engine.shown { $0.backends.first?.vendor == "zitadel" && $0.people.isEmpty }
        #expect(
            shown.text(.english, at: servers.clock.now).hasSuffix("(Sign in with Zitadel) -> 127.0.0.1"))
        await signIn(with: model, name: "", password: "")
        #expect(try await model.client.account() == AccountID(account: servers.openID.user.id, realm: "work"))
        #expect(try await !model.client.accessToken().isEmpty)
        following.cancel()
        await servers.stop()
    }

    @Test("The app of the sample, which has nothing else than this model, has at most 40 lines")
    func short() throws {
        let path = "Tests/AppleSamples/FollowingTheFile/App/NotesApp.swift"
        let text = try String(contentsOf: PackageFolder.url.appendingPathComponent(path), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count { !$0.contains("// snippet: ") && !$0.contains("// end snippet") } <= 40)
    }

    @Test("A changed configuration ends the sign-in under way, and the next page opens when the first is closed")
    func reload() async throws {
        let servers = try await ThreeServers()
        let (login, gate, log) = (servers.login, PageGate(), Locked<[String]>([]))
        let browser = ScriptedBrowser { page in
            let visit = log.withLock { log in
                log.append("opened")
                return log.count
            }
            guard visit == 1 else { return try await login.signIn(at: page) }
            // A page that takes its time to close.
            await gate.pass()
            log.withLock { $0.append(Task.isCancelled ? "closed" : "left") }
            throw CancellationError()
        }
        let model = try AppModel(servers.configuration(.openIDConnect), browser: browser, time: servers.clock.dates)
        let following = Task { await model.run() }
        _ = try await model.engine.shown { !$0.backends.isEmpty }
        await model.engine.perform(.signIn("work"))
        while log.withLock(\.isEmpty) { await Task.yield() }

        try model.client.reload(servers.configuration(.openIDConnect, name: "home"))
        let screen = try await model.engine.shown { $0.backends.map(\.name) == ["home"] }
        #expect(
            screen.text(.english, at: servers.clock.now) == """
                # Sign in
                ! The app's settings have changed. Sign in again.
                (Sign in) -> 127.0.0.1
                """)
        await model.engine.perform(.signIn("home"))
        #expect(await model.engine.screen.isBusy)
        await gate.open()
        _ = try await model.engine.shown { !$0.isBusy }
        #expect(log.withLock { $0 } == ["opened", "closed", "opened"])
        #expect(try await model.client.account() == AccountID(account: servers.openID.user.id, realm: "home"))
        following.cancel()
        await servers.stop()
    }

    @Test("What was typed stays where the field still exists, and a password never does")
    func typed() async throws {
        let servers = try await ThreeServers()
        let model = try AppModel(
            servers.configuration(.insForge), browser: ScriptedBrowser { _ in throw CancellationError() },
            time: servers.clock.dates)
        let following = Task { await model.run() }
        _ = try await model.engine.shown { !$0.backends.isEmpty }
        await model.engine.perform(.signIn("work"))
        _ = try await model.engine.shown { $0.prompt != nil }
        await model.engine.enter("ada@example.org", in: "email")
        await model.engine.enter("a password", in: "password")

        for (configuration, kept) in [
            (servers.configuration(.insForge, deadline: 60), ["email": "ada@example.org"] as [String: Secret]),
            (servers.configuration(.thunderID), [:]),
        ] {
            try model.client.reload(configuration)
            let screen = try await model.engine.shown { $0.notice != nil }
            #expect(screen.notice == .configurationChanged)
            _ = try await model.engine.shown { $0.prompt == nil && !$0.isBusy }
            await model.engine.perform(.signIn("work"))
            #expect(try await model.engine.shown { $0.prompt != nil }.values == kept)
        }
        following.cancel()
        await servers.stop()
    }

    @Test("A code can be mailed again after a minute, and the button rests until then")
    func resend() async throws {
        let servers = try await ThreeServers()
        let model = try AppModel(
            servers.configuration(.insForge, ["signIn": "mailedCode"]),
            browser: ScriptedBrowser { _ in throw CancellationError() }, time: servers.clock.dates)
        let following = Task { await model.run() }
        _ = try await model.engine.shown { !$0.backends.isEmpty }
        await model.engine.perform(.signIn("work"))
        _ = try await model.engine.shown { $0.prompt != nil }
        await model.engine.enter(Secret(servers.insForge.user.email), in: "email")
        await model.engine.perform(.answer("mail-code"))
        let screen = try await model.engine.shown { $0.prompt?.fields.first?.kind == .oneTimeCode }
        #expect(screen.text(.english, at: servers.clock.now).contains("second Mail another code, rests\n"))
        await model.engine.perform(.answer("another-code"))
        #expect(await !model.engine.screen.isBusy)
        servers.clock.advance(by: .seconds(60))
        await model.engine.perform(.answer("another-code"))
        let again = try await model.engine.shown { $0.prompt?.message?.hasPrefix("Another code was mailed") == true }
        #expect(again.prompt?.actions.last?.availableAfter == servers.clock.now + 60)
        #expect(servers.insForge.outbox.count == 2)
        following.cancel()
        await servers.stop()
    }

    @Test("A button says whose it is and where it leads; two of one vendor have the names of the configuration")
    func labels() async throws {
        var registry = ProviderRegistry(KnownProviders.plugins + [InsForgePlugin.self])
        registry.register(KnownProviders.presets)
        let page: JSONValue = ["clientID": "app", "redirectURI": "com.example.app:/callback"]
        let forge = ProviderConfiguration(
            name: "members", type: "insforge", settings: ["baseURL": "https://api.example.com"])
        func text(_ providers: [ProviderConfiguration]) async throws -> String {
            let engine = SignInEngine()
            let client = try IdentityClient(
                configuration: IdentityConfiguration(providers: providers), registry: registry,
                environment: IdentityEnvironment(
                    store: MemoryTokenStore(), prompter: engine,
                    webAuthenticator: ScriptedBrowser { _ in throw CancellationError() }, variables: [:]))
            let following = Task { await engine.follow(client) }
            defer { following.cancel() }
            return try await engine.shown { !$0.backends.isEmpty }.text(.english, at: Date())
        }
        let code = ProviderConfiguration(name: "code", type: "gitlab", settings: page)
        #expect(
            try await text([code, forge]) == """
                # Sign in
                (Sign in with GitLab) -> gitlab.com
                second Sign in with members
                """)
        let other = ProviderConfiguration(name: "archive", type: "gitlab", settings: page)
        #expect(
            try await text([code, other]).contains("(Sign in with code) -> gitlab.com\nsecond Sign in with archive"))
        #expect(try await text([forge]) == "# Sign in\n(Sign in)")
    }

    @Test("Where no server answers, and where the clock is wrong, the screen says what to do")
    func advice() async throws {
        let servers = try await ThreeServers()
        let model = try AppModel(
            servers.configuration(.insForge), browser: ScriptedBrowser { _ in throw CancellationError() },
            time: servers.clock.dates)
        let following = Task { await model.run() }
        _ = try await model.engine.shown { !$0.backends.isEmpty }
        let person = servers.person(at: .insForge)
        await servers.stop()
        await model.engine.perform(.signIn("work"))
        _ = try await model.engine.shown { $0.prompt != nil }
        await model.engine.enter(person.name, in: "email")
        await model.engine.enter(person.password, in: "password")
        await model.engine.perform(.answer("sign-in"))
        #expect(try await model.engine.shown { $0.notice != nil }.notice == .offline)

        for backend in [ThreeServers.Backend.thunderID, .openIDConnect] {
            try model.client.reload(servers.configuration(backend))
            _ = try await model.engine.shown { !$0.isBusy }
            await model.engine.perform(.signIn("work"))
            let notice = try await model.engine.shown { !$0.isBusy }.notice
            #expect(notice == .offline, "\(backend): \(String(describing: notice))")
        }
        let now = servers.clock.now
        #expect(OAuthError.invalidIDToken(.expired(at: now, now: now, deviceTime: now)).notice == .clockWrong)
        #expect(OAuthError.invalidIDToken(.expired(at: now, now: now)).notice == nil)
        following.cancel()
    }
}

/// Holds a page open until the test lets it close.
private actor PageGate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    func open() {
        isOpen = true
        for waiter in waiting { waiter.resume() }
        waiting = []
    }
}
