import Foundation
import IdentityLocalServers
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Resources that refuse every token.
@Suite(.endsInTime) struct ResourceRefusalTests {
    /// A provider that signs the person in where a resource refuses the token.
    private final class Provider: SessionBackedProvider {
        let sessions: ProviderSessions
        let pages = Locked(0)
        private let signsIn: (@Sendable () async throws -> Void)?

        init(_ sessions: ProviderSessions, signsIn: (@Sendable () async throws -> Void)?) {
            self.sessions = sessions
            self.signsIn = signsIn
        }

        func signIn(in context: CallerContext) async throws -> AccountID? { nil }

        func requestAuthorization(
            for accountID: AccountID, scopes: Set<String>, deviceToken: String
        ) async throws -> Data? { nil }

        func requestAuthorization(
            for accountID: AccountID, askedBy response: HTTPURLResponse, in context: CallerContext
        ) async throws -> Bool {
            guard let signsIn else { return false }
            pages.withLock { $0 += 1 }
            try await signsIn()
            return true
        }

        func signOut(_ accountID: AccountID) async throws { try await sessions.end(accountID) }
    }

    private let fixture = SessionsFixture()
    private var refreshes: Int { fixture.backend.requests.count }

    private func client(signsIn: (@Sendable () async throws -> Void)? = nil) -> (IdentityClient, Provider) {
        let provider = Provider(fixture.sessions(), signsIn: signsIn)
        let client = IdentityClient(
            provider: provider,
            environment: IdentityEnvironment(store: fixture.store, time: fixture.clock.dates, variables: [:]))
        return (client, provider)
    }

    /// A signed-in client whose access tokens last for `life` seconds.
    private func signedIn(life: TimeInterval = 360_000) async throws -> IdentityClient {
        try await fixture.sessions().begin(fixture.credential(lifetime: life), for: fixture.account)
        return client().0
    }

    private static func refusing(_ isOpen: @escaping @Sendable () -> Bool = { false }) async throws -> LocalHTTPServer {
        try await LocalHTTPServer.start { _ in isOpen() ? .text("hello") : .text("no", status: 401) }
    }

    /// The statuses of `count` calls.
    private func statuses(_ count: Int, _ client: IdentityClient, _ server: LocalHTTPServer) async throws -> Set<Int> {
        var statuses: Set<Int> = []
        for _ in 0..<count {
            statuses.insert(try await client.data(for: URLRequest(url: server.url)).1.statusCode)
        }
        return statuses
    }

    @Test("One that refuses every token costs one refresh, then one after a minute, after two, and so on")
    func doubles() async throws {
        let server = try await Self.refusing()
        let client = try await signedIn()
        #expect(try await statuses(20, client, server) == [401])
        #expect(refreshes == 1 && server.log.count == 21)
        for (index, pause) in [60, 120, 240, 480].enumerated() {
            fixture.clock.advance(by: .seconds(pause - 1))
            _ = try await statuses(3, client, server)
            #expect(refreshes == index + 1)
            fixture.clock.advance(by: .seconds(1))
            _ = try await statuses(3, client, server)
            #expect(refreshes == index + 2)
        }
        await server.stop()
    }

    @Test("Other processes know it from the stored session, until the resource takes a token")
    func everyProcess() async throws {
        let isOpen = Locked(false)
        let server = try await Self.refusing { isOpen.withLock { $0 } }
        _ = try await signedIn()
        for _ in 0..<20 { _ = try await statuses(1, client().0, server) }
        #expect(refreshes == 1)
        fixture.clock.advance(by: .seconds(60))
        for _ in 0..<20 { _ = try await statuses(1, client().0, server) }
        #expect(refreshes == 2)
        // Twice as long after the second time.
        fixture.clock.advance(by: .seconds(119))
        let last = client().0
        _ = try await statuses(2, last, server)
        #expect(refreshes == 2)
        isOpen.withLock { $0 = true }
        #expect(try await statuses(1, last, server) == [200])
        isOpen.withLock { $0 = false }
        _ = try await statuses(1, client().0, server)
        #expect(refreshes == 3)
        await server.stop()
    }

    @Test("The pause is never longer than a token lasts, and none after the clock was set back")
    func lifeOfToken() throws {
        let (refusals, clock) = (ResourceRefusals(), ManualClock())
        let place = ResourceRefusals.Place(fixture.account, at: URL(string: "https://api.example.com"))
        for pause in [60, 120, 240, 300, 300] {
            refusals.refreshed(place, with: "Bearer \(clock.now)", lasting: 300, at: clock.now)
            _ = refusals.refused(place, "Bearer \(clock.now)")
            #expect(!refusals.rests(place, at: clock.now - 1))
            clock.advance(by: .seconds(pause - 1))
            #expect(refusals.rests(place, at: clock.now))
            clock.advance(by: .seconds(1))
            #expect(!refusals.rests(place, at: clock.now))
        }
    }

    @Test("A request without a token was not refused before the last refresh")
    func withoutAuthorization() throws {
        let place = ResourceRefusals.Place(fixture.account, at: URL(string: "https://api.example.com"))
        #expect(!ResourceRefusals().hasRefused(place, nil))
    }

    @Test("A new token that nobody is known to have refused begins with a minute again")
    func unconfirmed() throws {
        let (refusals, clock) = (ResourceRefusals(), ManualClock())
        let place = ResourceRefusals.Place(fixture.account, at: URL(string: "https://api.example.com"))
        for token in ["Bearer a", "Bearer b"] {
            refusals.refreshed(place, with: token, lasting: 3600, at: clock.now)
            clock.advance(by: .seconds(60))
            #expect(!refusals.rests(place, at: clock.now))
        }
    }

    @Test("Callers at the same time share the refresh and the pause")
    func together() async throws {
        let server = try await Self.refusing()
        let client = try await signedIn()
        let old = try await client.authorize(URLRequest(url: server.url))
        let new = try await withThrowingTaskGroup(of: URLRequest?.self) { group in
            for _ in 0..<20 { group.addTask { try await client.reauthorize(old) } }
            return try await group.reduce(into: Set<URLRequest?>()) { $0.insert($1) }
        }
        #expect(refreshes == 1 && new.count == 1)
        #expect(try await client.reauthorize(try #require(new.first ?? nil)) == nil)
        await server.stop()
    }

    @Test("A success ends the pause")
    func success() async throws {
        let isOpen = Locked(false)
        let server = try await Self.refusing { isOpen.withLock { $0 } }
        let client = try await signedIn()
        _ = try await statuses(2, client, server)
        fixture.clock.advance(by: .seconds(60))
        _ = try await statuses(2, client, server)
        #expect(refreshes == 2)
        isOpen.withLock { $0 = true }
        #expect(try await statuses(1, client, server) == [200])
        isOpen.withLock { $0 = false }
        _ = try await statuses(2, client, server)
        #expect(refreshes == 3)
        fixture.clock.advance(by: .seconds(60))
        _ = try await statuses(2, client, server)
        #expect(refreshes == 4)
        await server.stop()
    }

    @Test("Another resource gets the token of the pause, and causes its own refresh")
    func others() async throws {
        let (server, other) = (try await Self.refusing(), try await Self.refusing { true })
        let third = try await Self.refusing()
        let client = try await signedIn()
        _ = try await statuses(2, client, server)
        #expect(try await statuses(1, client, other) == [200])
        _ = try await statuses(2, client, third)
        #expect(refreshes == 2)
        // Two that refuse every token do not undo each other's pause.
        _ = try await statuses(2, client, server)
        _ = try await statuses(2, client, third)
        #expect(refreshes == 2)
        for server in [server, other, third] { await server.stop() }
    }

    @Test("A request of another library causes no refresh in the pause either, and gets a newer token than its own")
    func otherLibraries() async throws {
        let server = try await Self.refusing()
        let client = try await signedIn()
        let old = try await client.authorize(URLRequest(url: server.url))
        let new = try #require(try await client.reauthorize(old))
        for _ in 0..<3 { #expect(try await client.reauthorize(new) == nil) }
        #expect(
            try await client.reauthorize(old)?.value(forHTTPHeaderField: "Authorization")
                == new.value(forHTTPHeaderField: "Authorization"))
        #expect(refreshes == 1)
        fixture.clock.advance(by: .seconds(60))
        #expect(try await client.reauthorize(new) != nil)
        fixture.clock.advance(by: .seconds(60))
        #expect(try await client.reauthorize(try await client.authorize(URLRequest(url: server.url))) == nil)
        #expect(refreshes == 2)
        // What is not a token of ours stays as it is.
        var foreign = URLRequest(url: server.url)
        foreign.setValue("Basic dTpw", forHTTPHeaderField: "Authorization")
        #expect(try await client.reauthorize(foreign) == nil)
        await server.stop()
    }

    @Test("It shows one sign-in in a session, also where the person gives it up", arguments: [true, false])
    func onePage(givesUp: Bool) async throws {
        let server = try await Self.refusing()
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        let (client, provider) = client { [fixture] in
            if givesUp { throw CancellationError() }
            fixture.clock.advance(by: .seconds(1))
            try await fixture.sessions().begin(
                fixture.credential("new", refreshToken: nil), for: fixture.account)
        }
        for _ in 0..<3 {
            do {
                let (_, response) = try await client.data(for: URLRequest(url: server.url), mayShowSignIn: true)
                #expect(response.statusCode == 401)
            } catch is CancellationError {
                #expect(givesUp)
            }
        }
        #expect(provider.pages.withLock { $0 } == 1)
        fixture.clock.advance(by: .seconds(1))
        try await fixture.sessions().begin(fixture.credential("another"), for: fixture.account)
        _ = try? await client.data(for: URLRequest(url: server.url), mayShowSignIn: true)
        #expect(provider.pages.withLock { $0 } == 2)
        await server.stop()
    }

    @Test("Requests at the same time share one sign-in, and one that is cancelled leaves alone")
    func sharedPage() async throws {
        let server = try await Self.refusing()
        let gate = Gate()
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        let (client, provider) = client { [fixture] in
            await gate.pass()
            fixture.clock.advance(by: .seconds(1))
            try await fixture.sessions().begin(fixture.credential("new", refreshToken: nil), for: fixture.account)
        }
        let calls = (0..<3).map { _ in
            Task { try await client.data(for: URLRequest(url: server.url), mayShowSignIn: true).1.statusCode }
        }
        let refusal = try #require(
            HTTPURLResponse(url: server.url, statusCode: 401, httpVersion: nil, headerFields: nil))
        let question = ResourceRefusals.Question(
            .init(fixture.account, at: server.url), refusedBy: refusal, in: try await client.context(stores: true))
        while client.questions.waiterCount(for: question) < calls.count { await Task.yield() }
        calls[0].cancel()
        await #expect(throws: CancellationError.self) { try await calls[0].value }
        await gate.open()
        for call in calls.dropFirst() { #expect(try await call.value == 401) }
        #expect(provider.pages.withLock { $0 } == 1)
        await server.stop()
    }
}
