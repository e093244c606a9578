import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// Providers with the three methods of the protocol and nothing else, in a chain.
@Suite struct PlainProviderTests {
    private func look(_ chain: IdentityProviderChain) async throws -> AccountID? {
        try await chain.silentAccount(scopes: [], deviceToken: "d").account
    }

    private func explanation(_ chain: IdentityProviderChain) async -> [String] {
        await chain.explain(scopes: [], deviceToken: "d").map(\.description)
    }

    @Test("A provider that never shows anything is asked in its place in the order, and explained with its account")
    func inOrder() async throws {
        let fixture = ChainFixture([.absent(.neverSignedIn), .account("ada")])
        let quiet = QuietProvider("build")
        let links = [fixture.links[0], .init("build", quiet), fixture.links[1]]
        let chain = try fixture.chain(links)
        #expect(try await look(chain) == .ada("build"))
        #expect(fixture.providers[1].calls == [])
        #expect(
            await explanation(chain) == [
                "first: nobody has signed in", "build: signed in as build/ada", "second: signed in as second/ada",
            ])
        quiet.set(.absent(.neverSignedIn))
        let other = try IdentityProviderChain(links)
        #expect(try await look(other) == .ada("second"))
        #expect(await explanation(other)[1] == "build: it has no account")
    }

    @Test("One that may show a sign-in waits for the second round, and the explanation says that this is why")
    func waits() async throws {
        let fixture = ChainFixture([.account("ada")])
        let plain = IdentityProviderChain.Link("plain", PlainProvider(account: .ada("plain")))
        let chain = try fixture.chain([plain] + fixture.links)
        #expect(try await look(chain) == .ada("first"))
        let reason = "plain: it may show a sign-in, so it is asked only when nobody has an account"
        #expect(await explanation(chain) == [reason, "first: signed in as first/ada"])
    }

    @Test("One that gives no answer misses its deadline, and is not asked where another can show a sign-in")
    func deadline() async throws {
        let fixture = ChainFixture([.account("ada")])
        let quiet = QuietProvider("build", .hang)
        /// Moves the clock whenever the provider has been asked and a deadline is waited for.
        func passingDeadlines(_ work: @Sendable () async throws -> AccountID?) async rethrows -> AccountID? {
            let before = quiet.count
            let mover = Task {
                while !Task.isCancelled {
                    if quiet.count > before, fixture.clock.sleeperCount > 0 { fixture.clock.advance(by: .seconds(3)) }
                    await Task.yield()
                }
            }
            defer { mover.cancel() }
            return try await work()
        }
        let stopping = try fixture.chain([.init("build", quiet)] + fixture.links)
        let error = await #expect(throws: ChainError.self) {
            try await passingDeadlines { try await self.look(stopping) }
        }
        #expect(error?.failureCode == "provider_too_slow")
        let skipping = try fixture.chain(
            [.init("build", quiet, silentDeadline: .init(.seconds(2), .skip))] + fixture.links)
        #expect(try await passingDeadlines { try await self.look(skipping) } == .ada("first"))
        let asked = quiet.count
        fixture.providers[0].setInteractive(.account("eve"))
        let signedIn = try await passingDeadlines { try await skipping.signIn(scopes: [], deviceToken: "d") }
        #expect(signedIn?.account == "eve")
        #expect(quiet.count == asked)
    }

    @Test("The chosen account of one that never shows anything is asked for, and its absence is noticed")
    func isVerified() async throws {
        let fixture = ChainFixture([.account("ada")])
        let quiet = QuietProvider("build")
        let chain = try fixture.chain([.init("build", quiet)] + fixture.links)
        #expect(try await look(chain) == .ada("build"))
        quiet.set(.absent(.neverSignedIn))
        #expect(try await look(chain) == .ada("first"))
        #expect(fixture.changes.last == "build/ada -> first/ada: it has no account")
        try await fixture.choose(.ada("build"))
        quiet.set(.account("eve"))
        #expect(try await look(chain) == AccountID(account: "eve", realm: "build"))
    }

    @Test("One that says that the session of the chosen account has ended keeps others from its place")
    func ended() async throws {
        let fixture = ChainFixture([.account("ada")])
        let quiet = QuietProvider("build")
        let chain = try fixture.chain([.init("build", quiet)] + fixture.links)
        #expect(try await look(chain) == .ada("build"))
        quiet.set(.failure(SessionError.ended(.ada("build"), reason: "Its token was revoked.")))
        guard
            case .absent(.activeSessionEnded(.ada("build"), "Its token was revoked.")) =
                try await chain.silentAccount(scopes: [], deviceToken: "d")
        else {
            Issue.record("the end of the session is the answer")
            return
        }
    }

    @Test("Chosen errors mean absence, of a provider of three methods too, and the explanation says which")
    func lenient() async throws {
        let fixture = ChainFixture([.account("ada")])
        let quiet = QuietProvider("build", .failure(TestError()))
        let lenient = quiet.treatingAsUnavailable { $0 is TestError }
        #expect(!lenient.mayShowSignIn)
        let chain = try fixture.chain([.init("build", lenient)] + fixture.links)
        #expect(try await look(chain) == .ada("first"))
        #expect(await explanation(chain)[0] == "build: not available: It was meant to fail.")
        #expect(try await lenient.activeAccount(scopes: [], deviceToken: "d") == nil)
        quiet.set(.failure(TransportError.connectionRefused(host: "h")))
        await #expect(throws: TransportError.self) {
            try await lenient.activeAccount(scopes: [], deviceToken: "d")
        }
        quiet.set(.account("ada"))
        #expect(try await lenient.accessToken(for: .ada("build"), scopes: []) == "token of build/ada")
        #expect(try await lenient.requestAuthorization(for: .ada("build"), scopes: [], deviceToken: "d") == nil)
    }

    @Test("A provider keeps its abilities when chosen errors mean absence, however it is handed on")
    func lenientManaged() async throws {
        let provider: any IdentityProvider = ScriptedProvider("work", silent: .failure(TestError()))
        let lenient = provider.treatingAsUnavailable { $0 is TestError }
        let link = IdentityProviderChain.Link("lenient", lenient.treatingAsUnavailable { $0 is TransportError })
        #expect(link.realms == ["work"] && link.provider is ScriptedProvider)
        let chain = try IdentityProviderChain([link])
        #expect(try await look(chain) == nil)
        #expect(await explanation(chain) == ["lenient: not available: It was meant to fail."])
    }

    @Test("A sign-in asks a chosen provider that may show one whether it is still signed in")
    func confirmed() async throws {
        final class Page: IdentityProvider {
            let account = Locked<AccountID?>(.ada("plain"))

            func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
                account.withLock { $0 }
            }

            func requestAuthorization(
                for accountID: AccountID, scopes: Set<String>, deviceToken: String
            ) async throws -> Data? { nil }

            func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String { "token" }
        }
        let page = Page()
        let fixture = ChainFixture([.absent(.neverSignedIn)])
        let chain = try fixture.chain([.init("plain", page)] + fixture.links)
        #expect(try await chain.activeAccount(scopes: [], deviceToken: "d") == .ada("plain"))
        page.account.withLock { $0 = AccountID(account: "eve", realm: "plain") }
        #expect(try await chain.activeAccount(scopes: [], deviceToken: "d")?.account == "eve")
        #expect(try await fixture.selection()?.account == "eve")
        page.account.withLock { $0 = nil }
        fixture.providers[0].setInteractive(.account("ada"))
        #expect(try await chain.activeAccount(scopes: [], deviceToken: "d") == .ada("first"))
        #expect(
            fixture.changes.suffix(2) == [
                "plain/eve -> nobody: it has no account", "nobody -> first/ada: the user signed in",
            ])
    }
}
