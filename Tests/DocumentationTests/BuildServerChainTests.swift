import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import Testing

/// The README's provider first in a chain, then a token of the environment, then a person's account at a real server: who is
/// asked, when, and who may show a sign-in.
@Suite struct BuildServerChainTests {
    /// A machine, on which processes start with different variables.
    private struct Machine {
        let clock = ManualClock()
        let store = MemoryTokenStore()
        let asked = Asked()
        let screen = InteractionCounter()
        let server: LocalOpenIDConnectServer

        init() async throws {
            server = try await LocalOpenIDConnectServer.start(clock: clock)
        }

        var ada: AccountID { AccountID(account: server.user.id, realm: "work") }

        /// Signs in as the server's person.
        var person: any WebAuthenticator {
            let login = ScriptedLogin(username: server.user.username, password: server.user.password)
            return ScriptedBrowser { try await login.signIn(at: $0) }
        }

        /// The chain of a process.
        func chain(
            _ variables: [String: String] = [:], browser: (any WebAuthenticator)? = nil
        ) throws -> IdentityProviderChain {
            let environment = IdentityEnvironment(
                store: store, webAuthenticator: browser.map { screen.counting($0) }, time: clock.timeSource,
                variables: variables)
            let build = try BuildServerPlugin.makeProvider(
                settings: JSONDecoder().decode(
                    BuildServerPlugin.Settings.self,
                    from: Data(#"{"user": "builder", "tokenVariable": "BUILD_TOKEN"}"#.utf8)),
                context: ProviderContext(name: "build", environment: environment))
            let token = EnvironmentTokenProvider(
                account: AccountID(account: "robot", realm: "ci"), read: { variables[$0] })
            let work = OAuthSessionProvider(
                OpenIDConnectSettings(
                    issuer: server.issuer, clientID: server.client.id,
                    redirectURI: URL(string: "com.example.app:/callback"), transportSecurity: .loopbackHTTPAllowed
                ).server,
                context: ProviderContext(name: "work", environment: environment))
            return try IdentityProviderChain(
                [
                    .init("build", asked.noting(build, as: "build"), realms: ["build"]),
                    .init("ci", asked.noting(token, as: "ci")), .init("work", asked.noting(work, as: "work")),
                ], store: store, time: clock.timeSource)
        }

        /// Ada has signed in, as the active account.
        func signInAda() async throws {
            #expect(try await chain(browser: person).activeAccount(scopes: [], deviceToken: "d") == ada)
            _ = asked.since()
        }
    }

    private static let builder = AccountID(account: "builder", realm: "build")
    private static let robot = AccountID(account: "robot", realm: "ci")
    private static let bothTokens = ["BUILD_TOKEN": "b", "SWIFT_IDENTITY_TOKEN": "e"]

    private func active(_ chain: IdentityProviderChain) async throws -> AccountID? {
        try await chain.activeAccount(scopes: [], deviceToken: "d")
    }

    @Test("On a build server nobody else is asked, for the account, for tokens and for authorization")
    func buildServer() async throws {
        let machine = try await Machine()
        let chain = try machine.chain(Self.bothTokens, browser: machine.person)
        #expect(try await active(chain) == Self.builder)
        #expect(machine.asked.since() == ["build.activeAccount"])
        #expect(try await chain.accessToken(for: Self.builder, scopes: ["any"]) == "b")
        #expect(machine.asked.since() == ["build.accessToken"])
        #expect(try await chain.requestAuthorization(for: Self.builder, scopes: [], deviceToken: "d") == nil)
        #expect(machine.asked.since() == ["build.requestAuthorization"])
        #expect(machine.screen.count == 0)
        await machine.server.stop()
    }

    @Test("Elsewhere the next one with an account is asked, and no further; a token that is missing is not asked for")
    func elsewhere() async throws {
        let machine = try await Machine()
        let robots = try machine.chain(["SWIFT_IDENTITY_TOKEN": "e"], browser: machine.person)
        #expect(try await active(robots) == Self.robot)
        #expect(machine.asked.since() == ["build.activeAccount", "ci.silentAccount"])
        #expect(try await robots.accessToken(for: Self.robot, scopes: []) == "e")
        #expect(try await robots.requestAuthorization(for: Self.robot, scopes: [], deviceToken: "d") == nil)
        #expect(machine.asked.since() == ["ci.accessToken", "ci.requestAuthorization"])
        try await robots.signOut(Self.robot)
        _ = machine.asked.since()
        // A session in the store is found without a sign-in.
        let session = try machine.chain(browser: machine.person)
        _ = try await session.signIn(with: "work", scopes: [], deviceToken: "d")
        try await session.signOut(machine.ada)
        _ = try await session.signIn(with: "work", scopes: [], deviceToken: "d")
        let shown = machine.screen.count
        _ = machine.asked.since()
        let next = try machine.chain(browser: machine.person)
        #expect(try await active(next) == machine.ada)
        #expect(machine.asked.since() == ["work.silentAccount of \(machine.ada.account)"])
        #expect(machine.screen.count == shown)
        await machine.server.stop()
    }

    @Test("Where nobody has an account, the last one shows a sign-in, and no machine is asked once more")
    func signIn() async throws {
        let machine = try await Machine()
        #expect(try await active(machine.chain(browser: machine.person)) == machine.ada)
        #expect(
            machine.asked.since() == ["build.activeAccount", "work.silentAccount", "work.signIn"])
        #expect(machine.screen.count == 1)
        await machine.server.stop()
    }

    @Test("Where nobody can show a sign-in, the result is that there is no account")
    func nobody() async throws {
        let machine = try await Machine()
        #expect(try await active(machine.chain()) == nil)
        #expect(
            machine.asked.since() == [
                "build.activeAccount", "work.silentAccount", "work.signIn", "build.activeAccount",
            ])
        await machine.server.stop()
    }

    @Test("A person who closes the sign-in ends the question")
    func cancelled() async throws {
        let machine = try await Machine()
        let chain = try machine.chain(browser: ScriptedBrowser { _ in throw CancellationError() })
        await #expect(throws: (any Error).self) { try await active(chain) }
        #expect(machine.asked.since().last == "work.signIn")
        #expect(try await machine.store.records(in: .accounts).records.isEmpty)
        await machine.server.stop()
    }

    @Test("The active account stays: a token that comes later does not replace a person, in any process")
    func staysActive() async throws {
        let machine = try await Machine()
        try await machine.signInAda()
        let chain = try machine.chain(Self.bothTokens, browser: machine.person)
        #expect(try await active(chain) == machine.ada)
        #expect(machine.asked.since() == ["work.silentAccount of \(machine.ada.account)"])
        // Where the person has signed out, the order counts again.
        try await chain.signOut(machine.ada)
        _ = machine.asked.since()
        #expect(try await active(chain) == Self.builder)
        #expect(machine.asked.since() == ["build.activeAccount"])
        await machine.server.stop()
    }

    @Test("Without its variable the build provider has no account, and the others are asked from the first")
    func noLongerABuildServer() async throws {
        let machine = try await Machine()
        #expect(try await active(machine.chain(Self.bothTokens)) == Self.builder)
        _ = machine.asked.since()
        let chain = try machine.chain(["SWIFT_IDENTITY_TOKEN": "e"])
        await #expect(throws: SessionError.notSignedIn(Self.builder)) {
            try await chain.accessToken(for: Self.builder, scopes: [])
        }
        #expect(machine.asked.since() == ["build.accessToken"])
        #expect(try await active(chain) == Self.robot)
        #expect(machine.asked.since() == ["build.activeAccount", "build.activeAccount", "ci.silentAccount"])
        await machine.server.stop()
    }

    @Test("Calls for an account go to its provider alone, and a refusal is not tried elsewhere")
    func refusals() async throws {
        let machine = try await Machine()
        try await machine.signInAda()
        let chain = try machine.chain(Self.bothTokens, browser: ScriptedBrowser { _ in throw CancellationError() })
        let stranger = AccountID(account: "eve", realm: "build")
        await #expect(throws: SessionError.notSignedIn(stranger)) {
            try await chain.accessToken(for: stranger, scopes: [])
        }
        #expect(machine.asked.since() == ["build.accessToken"])
        await #expect(throws: FixedTokenError.notSignedIn(AccountID(account: "eve", realm: "ci"))) {
            try await chain.accessToken(for: AccountID(account: "eve", realm: "ci"), scopes: [])
        }
        #expect(machine.asked.since() == ["ci.accessToken"])
        let (missing, nowhere) = (["a-scope-nobody-granted"] as Set, AccountID(account: "ada", realm: "elsewhere"))
        await #expect(throws: SessionError.self) { try await chain.accessToken(for: machine.ada, scopes: missing) }
        #expect(machine.asked.since() == ["work.accessToken"])
        // More scopes are a matter of the account's provider, which may show a sign-in for them.
        let shown = machine.screen.count
        await #expect(throws: (any Error).self) {
            try await chain.requestAuthorization(for: machine.ada, scopes: missing, deviceToken: "d")
        }
        #expect(machine.asked.since() == ["work.requestAuthorization"])
        #expect(machine.screen.count == shown + 1)
        await #expect(throws: ChainUsageError.self) { try await chain.accessToken(for: nowhere, scopes: []) }
        #expect(machine.asked.since() == [])
        await machine.server.stop()
    }

    @Test(
        "A session that has ended is not replaced by a token; only a person's sign-in is, and that of its provider first"
    )
    func ended() async throws {
        let machine = try await Machine()
        try await machine.signInAda()
        machine.clock.advance(by: .seconds(3600))
        machine.server.revokeTokens(ofUser: machine.server.user.id)
        let silent = try machine.chain(Self.bothTokens)
        let error = await #expect(throws: SessionError.self) {
            try await silent.accessToken(for: machine.ada, scopes: [])
        }
        guard case .ended(machine.ada, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(machine.asked.since() == ["work.accessToken"])
        await #expect(throws: SessionError.self) { try await active(silent) }
        #expect(machine.asked.since() == ["work.silentAccount of \(machine.ada.account)", "work.signIn"])
        let shown = machine.screen.count
        let chain = try machine.chain(Self.bothTokens, browser: machine.person)
        #expect(try await active(chain) == machine.ada)
        #expect(machine.asked.since() == ["work.silentAccount of \(machine.ada.account)", "work.signIn"])
        #expect(machine.screen.count == shown + 1)
        await machine.server.stop()
    }

    @Test(
        "signIn is for a person, whatever tokens there are; a token can be asked for by name, and counts where none can be"
    )
    func explicitSignIn() async throws {
        let machine = try await Machine()
        let chain = try machine.chain(["SWIFT_IDENTITY_TOKEN": "e"], browser: machine.person)
        #expect(try await chain.signIn(scopes: [], deviceToken: "d") == machine.ada)
        #expect(machine.asked.since() == ["work.signIn"])
        #expect(machine.screen.count == 1)
        #expect(try await chain.signIn(with: "ci", scopes: [], deviceToken: "d") == Self.robot)
        #expect(machine.asked.since() == ["ci.signIn"])
        let silent = try machine.chain(["SWIFT_IDENTITY_TOKEN": "e"])
        #expect(try await silent.signIn(scopes: [], deviceToken: "d") == Self.robot)
        #expect(machine.asked.since() == ["work.signIn", "build.activeAccount", "ci.signIn"])
        #expect(machine.screen.count == 1)
        await machine.server.stop()
    }
}
