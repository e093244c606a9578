import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing

/// The rules of sessions that every provider keeps at its own server.
@Suite struct ProviderSessionTests {
    @Test(
        "Fifty tasks and two providers on one store spend the refresh token once", .guards("refresh token rotation"),
        arguments: ProviderCase.allCases)
    func onceForAll(provider: ProviderCase) async throws {
        let scene = try await provider.scene()
        let providers = [try await scene.signedIn(), try scene.provider()]
        let first = try await providers[0].accessToken(for: scene.account, scopes: [])
        scene.clock.advance(by: scene.tokenLifetime)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<50 {
                group.addTask { try await providers[index % 2].accessToken(for: scene.account, scopes: []) }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(!tokens.contains(first))
        #expect(scene.refreshes() == 1)
        #expect(scene.replays() == 0)
        await scene.stop()
    }

    @Test("A refused token is replaced without losing the session", arguments: ProviderCase.allCases)
    func replacement(provider: ProviderCase) async throws {
        let scene = try await provider.scene()
        let provider = try await scene.signedIn()
        let token = try await provider.accessToken(for: scene.account, scopes: [])
        scene.clock.advance(by: .seconds(1))
        let newer = try await provider.accessToken(
            for: scene.account, scopes: [], resource: nil, freshness: .other(than: token))
        #expect(newer != token)
        let again = try await provider.accessToken(
            for: scene.account, scopes: [], resource: nil, freshness: .other(than: token))
        #expect(again == newer)
        #expect(scene.refreshes() == 1)
        await scene.stop()
    }

    @Test(
        "A second sign-in replaces the session, which is revoked where that is possible",
        arguments: ProviderCase.allCases)
    func secondSignIn(provider: ProviderCase) async throws {
        let scene = try await provider.scene()
        _ = try await scene.signedIn()
        scene.clock.advance(by: .seconds(1))
        let provider = try await scene.signedIn()
        // The browser's session at an OpenID Connect server is one grant, which revoking the old tokens might end.
        let isRevoked = scene.endsSessions && !(scene.endpoints.end == "/revoke")
        #expect(scene.requests(to: scene.endpoints.end) == (isRevoked ? 1 : 0))
        scene.clock.advance(by: scene.tokenLifetime)
        _ = try await provider.accessToken(for: scene.account, scopes: [])
        #expect(scene.refreshes() == 1)
        await scene.stop()
    }

    @Test(
        "A revoked session ends at the next refresh, and no other request is sent for it",
        arguments: ProviderCase.allCases)
    func revoked(provider: ProviderCase) async throws {
        let scene = try await provider.scene()
        let provider = try await scene.signedIn()
        scene.revoke()
        scene.clock.advance(by: scene.tokenLifetime)
        let before = scene.requests(to: scene.endpoints.refresh)
        for _ in 0..<2 {
            let error = await #expect(throws: SessionError.self) {
                try await provider.accessToken(for: scene.account, scopes: [])
            }
            #expect(error?.failureCode == "session_ended")
        }
        #expect(scene.requests(to: scene.endpoints.refresh) == before + 1)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        await scene.stop()
    }

    @Test("A server in trouble ends no session", arguments: ProviderCase.allCases)
    func troubledServer(provider: ProviderCase) async throws {
        let scene = try await provider.scene()
        #expect(scene.troubles.count > 3)
        for fault in scene.troubles {
            let store = MemoryTokenStore()
            let provider = try scene.provider(store: store)
            _ = try await provider.signIn(scopes: [], deviceToken: "d")
            scene.clock.advance(by: scene.tokenLifetime)
            scene.http.fail(fault, pathPrefix: scene.endpoints.refresh)
            let error = await #expect(throws: (any Error).self, "\(fault)") {
                try await provider.accessToken(for: scene.account, scopes: [])
            }
            #expect(error.map(scene.isOwnError) == true, "\(fault)")
            #expect((error as? any IdentityFailure)?.failureClass == .transient, "\(fault)")
            #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == scene.account, "\(fault)")
            // Nothing is sent before the pause is over.
            scene.clock.advance(by: .seconds(3))
            _ = try await provider.accessToken(for: scene.account, scopes: [])
        }
        await scene.stop()
    }

    @Test("While the old token is valid, a failed refresh is no error", arguments: ProviderCase.allCases)
    func earlyRefreshFails(provider: ProviderCase) async throws {
        let scene = try await provider.scene()
        let provider = try await scene.signedIn()
        let token = try await provider.accessToken(for: scene.account, scopes: [])
        scene.clock.advance(by: scene.tokenLifetime - .seconds(30))
        await scene.stop()
        #expect(try await provider.accessToken(for: scene.account, scopes: []) == token)
    }

    @Test("Signing out ends the session here and at the server", arguments: ProviderCase.allCases)
    func signOut(provider: ProviderCase) async throws {
        let scene = try await provider.scene()
        let provider = try await scene.signedIn()
        let token = try await provider.accessToken(for: scene.account, scopes: [])
        let reports = try await scene.monitor.reports { try await provider.signOut(scene.account) }
        #expect(reports.isEmpty)
        #expect(scene.requests(to: scene.endpoints.end) >= 1)
        if scene.endsSessions { #expect(try await scene.status(token) == 401) }
        try await expectSignedOut(provider, scene)
        await scene.stop()
    }

    @Test(
        "Signing out works without a network, also in an app that has just started, and is reported",
        arguments: ProviderCase.allCases)
    func offlineSignOut(provider: ProviderCase) async throws {
        let scene = try await provider.scene()
        _ = try await scene.signedIn()
        await scene.stop()
        let provider = try scene.provider()
        let reports = try await scene.monitor.reports { try await provider.signOut(scene.account) }
        #expect(reports.count == 1)
        let reason: any Error
        switch reports.first {
        case .revocationPostponed(scene.account, let error)? where scene.endsSessions: reason = error
        case .notRevoked(scene.account, let error)? where !scene.endsSessions: reason = error
        default:
            Issue.record("it is not reported")
            return
        }
        #expect(scene.isOwnError(reason) || reason is TransportError)
        #expect((reason as? any IdentityFailure)?.failureClass == .transient)
        try await expectSignedOut(provider, scene)
    }

    @Test(
        "A server that was away at a sign-out is told by the next process that looks for an account",
        arguments: ProviderCase.allCases)
    func lateRevocation(provider: ProviderCase) async throws {
        let scene = try await provider.scene()
        guard scene.endsSessions else { return await scene.stop() }
        let provider = try await scene.signedIn()
        let token = try await provider.accessToken(for: scene.account, scopes: [])
        scene.http.fail(.answer(.text("", status: 503)), pathPrefix: scene.endpoints.end, times: 2)
        try await provider.signOut(scene.account)
        scene.http.clearFaults()
        #expect(try await scene.status(token) == 200)
        let requests = scene.requests(to: scene.endpoints.end)
        scene.clock.advance(by: .seconds(61))
        let next = try #require(try scene.provider() as? any SessionBackedProvider)
        try await expectSignedOut(next, scene)
        await next.sessions.deliverRevocations()
        #expect(try await scene.status(token) == 401)
        #expect(scene.requests(to: scene.endpoints.end) == 2 * requests)
        #expect(try await scene.store.records(in: .revocations).records.allSatisfy { $0.content == nil })
        await scene.stop()
    }

    private func expectSignedOut(_ provider: any SessionProvider, _ scene: ProviderScene) async throws {
        guard case .absent(.signedOut) = try await provider.silentAccount(scopes: [], deviceToken: "d") else {
            Issue.record("still signed in")
            return
        }
        await #expect(throws: SessionError.notSignedIn(scene.account)) {
            try await provider.accessToken(for: scene.account, scopes: [])
        }
        #expect(try await scene.store.record(for: .account(scene.account))?.content == nil)
    }

    @Test("A person who gives up cancels the sign-in, and nothing is stored", arguments: ProviderCase.allCases)
    func givesUp(provider: ProviderCase) async throws {
        let scene = try await provider.scene()
        let provider = try scene.provider(.impatient)
        await #expect(throws: CancellationError.self) {
            try await provider.activeAccount(scopes: [], deviceToken: "d")
        }
        #expect(try await scene.store.records(in: .accounts).records.isEmpty)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        await scene.stop()
    }

    @Test("Without a prompter and a browser there is no account and no request", arguments: ProviderCase.allCases)
    func nothingToShow(provider: ProviderCase) async throws {
        let scene = try await provider.scene()
        #expect(try await scene.provider(.absent).activeAccount(scopes: [], deviceToken: "d") == nil)
        #expect(scene.http.log.isEmpty)
        await scene.stop()
    }

    @Test("Two sign-ins at once do not disturb each other", arguments: ProviderCase.allCases)
    func concurrentSignIns(provider: ProviderCase) async throws {
        let scene = try await provider.scene()
        let provider = try scene.provider(
            .init(
                prompter: ScriptedPrompter(scene.credentials, scene.credentials),
                browser: ScriptedBrowser { try await scene.visit($0) }))
        async let first = provider.signIn(scopes: [], deviceToken: "d")
        async let second = provider.signIn(scopes: [], deviceToken: "d")
        #expect(try await first == scene.account)
        #expect(try await second == scene.account)
        await scene.stop()
    }
}
