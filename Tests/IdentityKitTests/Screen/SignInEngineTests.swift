import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

/// The engine of a sign-in screen with a client, without a server.
@Suite(.endsInTime) struct SignInEngineTests {
    private let engine = SignInEngine()
    private let provider = ScriptedProvider("work")
    private let store = MemoryTokenStore()

    /// Runs `body` while the engine follows a client of the provider.
    private func following(
        over store: (any TokenStore)? = nil, _ body: (IdentityClient) async throws -> Void
    ) async throws {
        let store: any TokenStore = store ?? self.store
        let client = IdentityClient(
            provider: provider, environment: IdentityEnvironment(store: store, prompter: engine))
        let following = Task { await engine.follow(client) }
        _ = try await engine.shown { !$0.backends.isEmpty }
        defer { following.cancel() }
        try await body(client)
    }

    /// Begins a session in the store.
    private func begin(_ account: String, _ change: (inout Credential) -> Void = { _ in }) async throws {
        let now = Date()
        var credential = Credential(
            accessToken: "a", issuedAt: now, expiresAt: now + 3600, signedInAt: now, backend: "https://id.example.com")
        change(&credential)
        let kept = StoredAccountProvider(realm: "work", backend: "https://id.example.com", store: store)
        try await kept.sessions.begin(credential, for: AccountID(account: account, realm: "work"))
    }

    @Test(
        "Without a network and with a wrong clock the screen says what to do, whatever the error is wrapped in",
        arguments: [
            (TransportError.hostUnreachable(host: "h") as any Error, SignInScreen.Notice.offline),
            (ChainError(attempts: [], underlying: TransportError.timedOut(host: "h", after: .seconds(1))), .offline),
            (ProviderError(underlying: TransportError.connectionLost(host: "h")), .offline),
            (TransportError.untrustedCertificate(host: "h", .notYetValid), .clockWrong),
            (
                TransportError.untrustedCertificate(host: "h", .expired),
                .words(TransportError.untrustedCertificate(host: "h", .expired).message)
            ),
        ])
    func advice(error: any Error, notice: SignInScreen.Notice) async throws {
        provider.setInteractive(.failure(error))
        try await following { _ in
            await engine.perform(.signIn("work"))
            let screen = try await engine.shown { $0.notice != nil }
            #expect(screen.notice == notice && !screen.isBusy)
        }
    }

    @Test("Accounts that are there are offered, and a suspended or ended session is offered to its person again")
    func people() async throws {
        try await begin("cleo") { $0.expiresAt = Date(timeIntervalSince1970: 0) }
        try await begin("bob") { credential in
            credential.suspension = Suspension("k", because: "The password is old.", retries: .never, at: Date())
            credential.profile = AccountProfile(email: "bob@example.com")
        }
        try await begin("ada") { $0.profile = AccountProfile(displayName: "Ada", email: "ada@example.com") }
        provider.setSilent(.account("ada"))
        try await following { client in
            let screen = try await engine.shown { $0.people.count == 3 }
            #expect(
                screen.text(.english, at: Date()) == """
                    # Sign in
                    (Continue as Ada)
                    second Sign in again as bob@example.com
                    second Sign in again as cleo
                    second Sign in
                    """)
            let ada = AccountID(account: "ada", realm: "work")
            await engine.perform(.continueAs(ada))
            #expect(try await client.account() == ada)
        }
    }

    @Test("A store that cannot be read takes nobody off the screen, which says so until it can be read")
    func unreadableStore() async throws {
        try await begin("ada")
        let faulty = FaultyTokenStore(store)
        try await following(over: faulty) { client in
            _ = try await engine.shown { $0.people.count == 1 }
            let error = TokenStoreError.locked(detail: "The test locked it.")
            faulty.fail(.list, in: .accounts, with: error)
            // A second view causes another look-up.
            let second = Task { await engine.follow(client) }
            let screen = try await engine.shown { $0.notice != nil }
            #expect(screen.notice == .words(error.message) && screen.people.map(\.account.account) == ["ada"])
            faulty.heal()
            let third = Task { await engine.follow(client) }
            let healed = try await engine.shown { $0.notice == nil }
            #expect(healed.people.count == 1)
            second.cancel()
            third.cancel()
        }
    }

    @Test("Who signs in again is the person of the button, and nobody else becomes active")
    func anotherPerson() async throws {
        try await begin("bob") { $0.expiresAt = Date(timeIntervalSince1970: 0) }
        let (ada, bob) = (AccountID(account: "ada", realm: "work"), AccountID(account: "bob", realm: "work"))
        provider.setInteractive(.account("ada"))
        try await following { client in
            _ = try await engine.shown { $0.people.count == 1 }
            await engine.perform(.continueAs(bob))
            let screen = try await engine.shown { $0.notice != nil }
            #expect(screen.notice == .words(ClientError.otherAccount(ada, insteadOf: bob).message))
            #expect(try await client.account() == nil)
            provider.setInteractive(.account("bob"))
            provider.setSilent(.account("bob"))
            await engine.perform(.continueAs(bob))
            _ = try await engine.shown { $0.notice == nil && !$0.isBusy }
            #expect(try await client.account() == bob)
        }
    }

    @Test("A session that is suspended says why, and its person stays")
    func suspended() async throws {
        try await begin("bob") { credential in
            credential.suspension = Suspension("k", because: "The password is old.", retries: .never, at: Date())
        }
        provider.setSilent(.suspended("bob"))
        try await following { client in
            _ = try await client.lookUp()
            let screen = try await engine.shown { $0.notice != nil }
            #expect(screen.notice == .words(ScriptedProvider.suspension.reason))
            #expect(screen.people.map(\.signInAt) == ["work"])
        }
    }

    @Test("A button that is not on the screen does nothing, and no step goes on without what it needs")
    func checks() async throws {
        var password = SignInPrompt.Field(identifier: "password", label: "Password", kind: .password)
        password.rules = [.init(lengths: 4...64)]
        let prompt = SignInPrompt(
            provider: "work",
            fields: [
                .init(identifier: "name", label: "Name", kind: .username), password,
                .init(identifier: "stay", label: "Stay", kind: .boolean),
                .init(identifier: "team", label: "Team", kind: .choice, isRequired: false, options: ["red", "blue"]),
            ],
            actions: [
                .init(identifier: "go", label: "Go"), .init(identifier: "lost", label: "Lost", purpose: .otherWay),
                .init(identifier: "mail", label: "Mail", purpose: .resend, availableAfter: .distantFuture),
            ])
        try await following { _ in
            for action in [SignInScreen.Action.signIn("elsewhere"), .answer("go"), .cancel] {
                await engine.perform(action)
            }
            let first = Task { try await engine.answer(prompt) }
            _ = try await engine.shown { $0.prompt != nil }
            await engine.perform(.answer("mail"))
            await engine.perform(.answer("unknown"))
            await engine.perform(.answer(nil))
            await engine.perform(.signIn("work"))
            #expect(await engine.screen.problems.isEmpty)
            #expect(await engine.screen.focus == nil)
            await engine.enter("abc", in: "password")
            await engine.enter("green", in: "team")
            await engine.enter("stray", in: "stray")
            await engine.perform(.answer("go"))
            #expect(await engine.screen.problems == ["name": .needed, "password": .unfit(nil), "team": .needed])
            #expect(await engine.screen.focus == "name")
            await engine.enter("a", in: "name")
            // Not the next field with an error, while this one is being typed.
            #expect(await engine.screen.focus == nil)
            await engine.enter("ada", in: "name")
            await engine.perform(.answer("go"))
            #expect(await engine.screen.focus == "password")
            await engine.enter("abcd", in: "password")
            await engine.enter("", in: "team")
            await engine.perform(.answer("go"))
            #expect(
                try await first.value
                    == PromptAnswer(values: ["name": "ada", "password": "abcd", "stay": "false"], action: "go"))

            let second = Task { try await engine.answer(prompt) }
            _ = try await engine.shown { $0.prompt != nil }
            #expect(await engine.screen.values == ["name": "ada", "team": ""])
            await engine.enter("abcd", in: "password")
            await engine.perform(.answer("lost"))
            #expect(try await second.value == PromptAnswer(values: ["name": "ada"], action: "lost"))
            #expect(provider.count(of: "signIn") == 0)
        }
    }

    @Test("A sign-in that was cancelled is over before the next one begins")
    func cancels() async throws {
        provider.setInteractive(.hang)
        try await following { client in
            await engine.perform(.signIn("work"))
            while !provider.isHanging { await Task.yield() }
            #expect(await engine.screen.text(.english, at: Date()) == "# Sign in\n... One moment…\nquiet Cancel")
            await engine.perform(.cancel)
            #expect(await !engine.screen.isBusy)
            provider.setInteractive(.account("ada"))
            provider.setSilent(.account("ada"))
            await engine.perform(.signIn("work"))
            _ = try await engine.shown { !$0.isBusy }
            #expect(!provider.isHanging)
            #expect(try await client.account()?.account == "ada")
        }
    }
}
