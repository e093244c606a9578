import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import InsForge
import TestSupport
import Testing

/// Sign in with Apple and with Google by the means of the device, of which the local server makes the tokens.
@Suite(.endsInTime) struct NativeSignInTests {
    /// A client of a file that names `vendor`, on a device that asks with `native`.
    private func client(
        _ fixture: InsForgeFixture, _ vendor: String, _ native: NativeSignIn?, prompter: (any FlowPrompter)? = nil
    ) throws -> IdentityClient {
        var environment = IdentityEnvironment(
            store: fixture.store, prompter: prompter,
            webAuthenticator: ScriptedBrowser { _ in throw WebAuthenticationError.notStarted },
            time: fixture.clock.dates, variables: [:])
        environment.nativeSignIns = native.map { [$0] } ?? []
        let settings: JSONValue = [
            "baseURL": .string(fixture.server.url.absoluteString), "allowsLoopbackHTTP": true, "signIn": "oauth",
            "oauthProvider": .string(vendor), "redirectURI": "example://callback",
        ]
        return try IdentityClient(
            configuration: IdentityConfiguration(
                providers: [ProviderConfiguration(name: "home", type: "insforge", settings: settings)]),
            registry: ProviderRegistry([InsForgePlugin.self]), environment: environment)
    }

    @Test("Apple's token with the nonce of the sign-in opens a session, with the name that Apple tells once")
    func apple() async throws {
        try await InsForgeFixture.run({ $0.oAuthProviders = ["apple", "google"] }) { fixture in
            let identity = LocalInsForgeServer.ProviderIdentity(email: "nova@example.org", name: "")
            let (server, asked) = (fixture.server, Locked(0))
            let native = NativeSignIn(vendor: "apple") { nonce in
                let turn = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                // The name comes with the first answer alone, whose token the server does not take.
                return NativeSignIn.Answer(
                    token: Secret(
                        try server.nativeIDToken(
                            from: .apple, for: identity, audience: turn == 1 ? "another app" : nil, nonce: nonce)),
                    user: "apple-user", profile: turn == 1 ? AccountProfile(displayName: "Nova Lovelace") : nil)
            }
            let client = try client(fixture, "apple", native)
            #expect(
                await client.failureOfSignIn() as? InsForgeAuthError
                    == .idTokenRefused("Failed to verify Apple ID token"))
            let account = try await client.signIn()
            let profile = try await client.accounts().accounts.first { $0.account == account }?.profile
            #expect(profile?.displayName == "Nova Lovelace" && profile?.email == "nova@example.org")
            #expect(try await !client.accessToken().isEmpty)
        }
    }

    @Test(
        "A token of another sign-in is not sent, and neither is one without a nonce where it must have one",
        .guards("nonce"))
    func otherNonce() async throws {
        try await InsForgeFixture.run({ $0.oAuthProviders = ["apple", "google"] }) { fixture in
            let server = fixture.server
            for nonce in ["another", nil] {
                let native = NativeSignIn(vendor: "apple") { _ in
                    NativeSignIn.Answer(token: Secret(try server.nativeIDToken(from: .apple, nonce: nonce)))
                }
                let failure = try await client(fixture, "apple", native).failureOfSignIn()
                #expect((failure as? InsForgeAuthError)?.failureCode == "id_token_refused")
            }
            #expect(fixture.requests(to: "/api/auth/id-token") == 0)
            // Google's library may take none.
            let google = NativeSignIn(vendor: "google", requiresNonce: false) { _ in
                NativeSignIn.Answer(token: Secret(try server.nativeIDToken(from: .google)))
            }
            #expect(try await client(fixture, "google", google).signIn() == fixture.account)
            // On a device without the means there is the page.
            let elsewhere = try client(fixture, "google", nil)
            try await elsewhere.signOut()
            #expect(await elsewhere.failureOfSignIn() as? WebAuthenticationError == .notStarted)
        }
    }

    @Test("Consent that is withdrawn at the vendor ends the session with its reason, for a screen and for observers")
    func withdrawn() async throws {
        try await InsForgeFixture.run({ $0.oAuthProviders = ["apple", "google"] }) { fixture in
            let (server, withdrawn) = (fixture.server, Locked<Set<String>>([]))
            let (changes, change) = AsyncStream<Void>.makeStream()
            var native = NativeSignIn(vendor: "apple") { nonce in
                NativeSignIn.Answer(
                    token: Secret(try server.nativeIDToken(from: .apple, nonce: nonce)), user: "apple-user")
            }
            native.hasWithdrawn = { user in withdrawn.withLock { $0.contains(user) } }
            native.withdrawals = { changes }
            let engine = SignInEngine()
            let client = try client(fixture, "apple", native, prompter: engine)
            let (ends, end) = AsyncStream<String>.makeStream()
            client.environment.observers.add(SessionEnds(end: end))
            let following = Task { await engine.follow(client) }
            for await screen in await engine.screens() where !screen.backends.isEmpty {
                // A button with the vendor's name, which opens no page.
                #expect(screen.backends == [.init(name: "home", label: "Apple", vendor: "apple")])
                break
            }
            await engine.perform(.signIn("home"))
            for await screen in await engine.screens() where !screen.people.isEmpty && !screen.isBusy { break }
            let state = await IdentityState(client)
            await state.refresh()
            #expect(await state.state.account == fixture.account)

            withdrawn.withLock { _ = $0.insert("somebody else") }
            await state.refresh()
            #expect(await state.state.account == fixture.account)
            withdrawn.withLock { _ = $0.insert("apple-user") }
            change.yield()
            for await shown in await state.states() where shown == .signedOut { break }
            #expect(await state.problem?.contains("withdrawn their consent at Apple") == true)
            for await text in ends {
                #expect(text.contains("withdrawn their consent at Apple"))
                break
            }
            await #expect(throws: SessionError.self) { try await client.accessToken() }
            following.cancel()
        }
    }

    @Test("A session that begins while the vendor is asked about the one before stays")
    func signedInMeanwhile() async throws {
        try await InsForgeFixture.run({ $0.oAuthProviders = ["apple", "google"] }) { fixture in
            let server = fixture.server
            let (asked, ask) = AsyncStream<Void>.makeStream()
            let (answered, answer) = AsyncStream<Void>.makeStream()
            var native = NativeSignIn(vendor: "apple") { nonce in
                NativeSignIn.Answer(
                    token: Secret(try server.nativeIDToken(from: .apple, nonce: nonce)), user: "apple-user")
            }
            native.hasWithdrawn = { _ in
                ask.finish()
                for await _ in answered {}
                return true
            }
            let client = try client(fixture, "apple", native)
            try await client.signIn()
            let state = await IdentityState(client)
            let look = Task { await state.refresh() }
            for await _ in asked {}
            fixture.clock.advance(by: .seconds(1))
            try await client.signIn(with: "home")
            answer.finish()
            await look.value
            #expect(await state.state.account == fixture.account)
            // The vendor is asked about the new session by the next look.
            await state.refresh()
            #expect(await state.state == .signedOut)
        }
    }
}

/// Hears why sessions have ended.
private struct SessionEnds: IdentityObserver {
    let end: AsyncStream<String>.Continuation

    func observe(_ event: ObservedEvent) {
        if event.name == EventName.clientSessionEnded.rawValue { end.yield(event.description) }
    }
}

extension IdentityClient {
    /// The provider's own error; `nil` after a sign-in.
    fileprivate func failureOfSignIn() async -> (any Error)? {
        do {
            try await signIn()
            return nil
        } catch {
            return (error as? ChainError)?.underlying ?? error
        }
    }
}
