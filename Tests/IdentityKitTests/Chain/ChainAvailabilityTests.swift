import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// What a chain does when a backend cannot be reached: nothing by default, and what the app asked for otherwise.
@Suite struct ChainAvailabilityTests {
    private static let offline = ScriptedProvider.Answer.failure(TransportError.connectionRefused(host: "h"))

    private func links(_ fixture: ChainFixture, fallingBack: Set<String>) -> [IdentityProviderChain.Link] {
        fixture.providers.map { .init($0.name, $0, fallsBackWhenUnavailable: fallingBack.contains($0.name)) }
    }

    private func absent() -> ChainFixture {
        ChainFixture([.absent(.neverSignedIn), .absent(.neverSignedIn), .absent(.neverSignedIn)])
    }

    @Test("A new sign-in goes to the next provider, with one probe per pause for the dead one")
    func breaker() async throws {
        let fixture = absent()
        fixture.providers[0].setInteractive(Self.offline)
        fixture.providers[1].setInteractive(.account("ada"))
        let chain = try fixture.chain(links(fixture, fallingBack: ["first"]))
        for _ in 0..<5 { #expect(try await chain.signIn(scopes: [], deviceToken: "d") == .ada("second")) }
        #expect(fixture.providers[0].count(of: "signIn") == 1)
        // Half open: one probe, which fails, and a pause twice as long.
        fixture.clock.advance(by: .seconds(31))
        for _ in 0..<5 { _ = try await chain.signIn(scopes: [], deviceToken: "d") }
        #expect(fixture.providers[0].count(of: "signIn") == 2)
        fixture.clock.advance(by: .seconds(31))
        _ = try await chain.signIn(scopes: [], deviceToken: "d")
        #expect(fixture.providers[0].count(of: "signIn") == 2)
        // It is back: the probe closes the breaker.
        fixture.clock.advance(by: .seconds(31))
        fixture.providers[0].setInteractive(.account("ada"))
        for _ in 0..<2 { #expect(try await chain.signIn(scopes: [], deviceToken: "d") == .ada("first")) }
        #expect(fixture.providers[0].count(of: "signIn") == 4)
    }

    @Test("A clock that is set back ends the pause")
    func clockSetBack() async throws {
        let fixture = absent()
        fixture.providers[0].setInteractive(Self.offline)
        fixture.providers[1].setInteractive(.account("ada"))
        let chain = try fixture.chain(links(fixture, fallingBack: ["first"]))
        #expect(try await chain.signIn(scopes: [], deviceToken: "d") == .ada("second"))
        fixture.clock.advance(by: .seconds(-3600))
        fixture.providers[0].setInteractive(.account("ada"))
        #expect(try await chain.signIn(scopes: [], deviceToken: "d") == .ada("first"))
    }

    private struct Unclassified: Error {}

    @Test(
        "Only unavailability falls back, never a refusal, the user's no, or a store in trouble",
        arguments: [
            (TransportError.timedOut(host: "h", after: .seconds(1)) as any Error, true),
            (TestError(failureClass: .transient), true), (TestError(failureClass: .unavailable), true),
            (TestError(failureClass: .definitive), false), (CancellationError(), false),
            (TokenStoreError.locked(detail: "x"), false), (Unclassified(), false),
            (ProviderError(underlying: Unclassified()), false),
        ])
    func what(error: any Error, fallsBack: Bool) async throws {
        let fixture = absent()
        fixture.providers[0].setInteractive(.failure(error))
        fixture.providers[1].setInteractive(.account("ada"))
        let chain = try fixture.chain(links(fixture, fallingBack: ["first"]))
        let account = try? await chain.signIn(scopes: [], deviceToken: "d")
        #expect(account == (fallsBack ? .ada("second") : nil))
    }

    @Test("Without the policy an unreachable backend stops the walk")
    func notByDefault() async throws {
        let fixture = absent()
        fixture.providers[0].setInteractive(Self.offline)
        fixture.providers[1].setInteractive(.account("ada"))
        let chain = try fixture.chain()
        let error = await #expect(throws: ChainError.self) { try await chain.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.stoppedAt == "first")
    }

    @Test("An account that belongs to the failing provider never falls back")
    func ownAccount() async throws {
        let fixture = ChainFixture([Self.offline, .account("ada"), .absent(.neverSignedIn)])
        try await fixture.choose(.ada("first"))
        let chain = try fixture.chain(links(fixture, fallingBack: ["first"]))
        for _ in 0..<2 {
            let error = await #expect(throws: ChainError.self) {
                try await chain.activeAccount(scopes: [], deviceToken: "d")
            }
            #expect(error?.failureCode == "connection_refused")
        }
        #expect(try await fixture.selection() == .ada("first"))
        #expect(fixture.providers[0].count(of: "silent") == 2)
    }

    @Test("A provider the user asked for by name is not replaced by another")
    func named() async throws {
        let fixture = absent()
        fixture.providers[0].setInteractive(Self.offline)
        fixture.providers[1].setInteractive(.account("ada"))
        let chain = try fixture.chain(links(fixture, fallingBack: ["first"]))
        await #expect(throws: ChainError.self) { try await chain.signIn(with: "first", scopes: [], deviceToken: "d") }
    }

    @Test("When nobody can sign in, the failure that was passed over is the error")
    func nobodyLeft() async throws {
        let fixture = absent()
        fixture.providers[0].setInteractive(Self.offline)
        let chain = try fixture.chain(links(fixture, fallingBack: ["first"]))
        let error = await #expect(throws: ChainError.self) { try await chain.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureClass == .transient)
        #expect(
            error?.message == """
                No identity provider has an account, and not all could be asked.
                  first: Nothing answers at h. Check that the server is running and that the address is right. (passed over)
                  second: it has no way to show a sign-in here
                  third: it has no way to show a sign-in here
                """)
    }

    @Test("C8: A slow provider can be skipped, and is never taken for an absent one")
    func skip() async throws {
        let fixture = ChainFixture([.hang, .absent(.neverSignedIn), .absent(.neverSignedIn)])
        var links = fixture.links
        links[0].silentDeadline = SilentDeadline(.seconds(2), .skip)
        let chain = try fixture.chain(links)
        let look = Task { try await chain.silentAccount(scopes: [], deviceToken: "d") }
        await fixture.letDeadlinePass()
        let error = await #expect(throws: ChainError.self) { try await look.value }
        #expect(error?.failureCode == "provider_too_slow")
        #expect(error?.attempts.count == 3)

        // The app asked to go on, so a sign-in elsewhere may be shown.
        fixture.providers[1].setInteractive(.account("ada"))
        let signIn = Task { try await chain.activeAccount(scopes: [], deviceToken: "d") }
        await fixture.letDeadlinePass()
        // The slow provider can show no sign-in; it is asked again without a limit.
        fixture.providers[0].setInteractive(.absent(.cannotShowSignIn))
        #expect(try await signIn.value == .ada("second"))
    }

    @Test("A chosen account's provider is not skipped for being slow")
    func chosenIsNotSkipped() async throws {
        let fixture = ChainFixture([.hang, .account("ada"), .absent(.neverSignedIn)])
        try await fixture.choose(.ada("first"))
        var links = fixture.links
        links[0].silentDeadline = SilentDeadline(.seconds(2), .skip)
        let chain = try fixture.chain(links)
        let look = Task { try await chain.silentAccount(scopes: [], deviceToken: "d") }
        await fixture.letDeadlinePass()
        await #expect(throws: ChainError.self) { try await look.value }
        #expect(try await fixture.selection() == .ada("first"))
    }

    @Test("C13: Chosen errors can mean absence, for looking and signing in")
    func lenient() async throws {
        let broken = ScriptedProvider("broken", silent: .failure(TestError()), interactive: .failure(TestError()))
        let second = ScriptedProvider("second", interactive: .account("ada"))
        let chain = try IdentityProviderChain([
            .init("broken", broken.treatingAsUnavailable { $0 is TestError }), .init("second", second),
        ])
        #expect(try await chain.activeAccount(scopes: [], deviceToken: "d") == .ada("second"))
        let strict = try IdentityProviderChain([
            .init("broken", broken.treatingAsUnavailable { $0 is TransportError }), .init("second", second),
        ])
        await #expect(throws: ChainError.self) { try await strict.activeAccount(scopes: [], deviceToken: "d") }
        let attempts = await chain.explain(scopes: [], deviceToken: "d")
        #expect(attempts.first?.description == "broken: not available: It was meant to fail.")
    }
}
