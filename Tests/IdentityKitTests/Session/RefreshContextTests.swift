import Foundation
import IdentityTesting
import Testing

@testable import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Whether a refresh token was sent is known from its request, whatever the backend says")
struct RefreshContextTests {
    private let fixture = SessionsFixture()
    private let line = Line()

    /// A network on which each request ends as the test says.
    private final class Line: HTTPTransport {
        let sent = Locked<[String]>([])
        let answer = Locked<@Sendable () async throws -> Void>({})

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            sent.withLock { $0.append(request.value(forHTTPHeaderField: "Connection") ?? "") }
            try await answer.withLock { $0 }()
            let url = try #require(request.url)
            return (
                Data(), try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
            )
        }

        func fails(_ error: any Error) { answer.withLock { $0 = { throw error } } }
    }

    private static let request = URL(string: "https://id.example.com/token").map { URLRequest(url: $0) }

    /// A process with an expired session, at a backend that wraps every error.
    private func expired(
        store: (any TokenStore)? = nil, _ refresh: @escaping SessionBackend.Refresh
    ) async throws -> ProviderSessions {
        let backend = SessionBackend(origin: .anyone(at: "https://id.example.com"), replay: .never) {
            do {
                return try await refresh($0, $1)
            } catch {
                throw TestError()
            }
        }
        let environment = IdentityEnvironment(
            store: store ?? fixture.store, transport: line, time: fixture.clock.dates, variables: [:])
        let sessions = ProviderSessions(backend, in: ProviderContext(name: "work", environment: environment))
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        return sessions
    }

    /// Sends the refresh token once.
    private static let spends: SessionBackend.Refresh = { credential, context in
        _ = try await context.spend(#require(request))
        var refreshed = credential
        refreshed.accessToken = "token-1"
        refreshed.expiresAt = credential.issuedAt + 7200
        return .refreshed(refreshed)
    }

    private func note() async throws -> RefreshIntent? {
        try await RefreshIntents(store: fixture.store).entry(for: fixture.account, at: fixture.clock.now).intent
    }

    @Test("The token is noted before it is sent, on a connection of its own")
    func noted() async throws {
        let sessions = try await expired(Self.spends)
        let found = Locked<RefreshIntent?>(nil)
        line.answer.withLock { [self] in
            $0 = {
                let note = try await note()
                found.withLock { $0 = note }
            }
        }
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(found.withLock { $0?.attempt } == 1)
        #expect(line.sent.withLock { $0 } == ["close"])
    }

    @Test("A holder whose lease is not confirmed any more sends nothing, and keeps its session")
    func unconfirmed() async throws {
        let store = CutOffStore(wrapped: fixture.store)
        let sessions = try await expired(store: store, Self.spends)
        store.isCutOff.withLock { $0 = true }
        #expect(await fixture.failureCode(sessions) == "test_failure")
        #expect(line.sent.withLock { $0 }.isEmpty)
        #expect(try await note()?.attempt == 0)
        store.isCutOff.withLock { $0 = false }
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test("What fails while the request is prepared leaves no doubt")
    func preparing() async throws {
        let fails = Locked(true)
        let sessions = try await expired { credential, context in
            _ = try await context.transport.data(for: #require(Self.request))
            if fails.withLock({ $0 }) { throw TransportError.connectionLost(host: "keys.example.com") }
            return try await Self.spends(credential, context)
        }
        #expect(await fixture.failureCode(sessions) == "test_failure")
        #expect(try await note()?.attempt == 0)
        fails.withLock { $0 = false }
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test(
        "A wrapped error is as much in doubt as the transport's",
        arguments: [
            (TransportError.connectionRefused(host: "h"), 0), (.notSent(host: "h", detail: "d"), 0),
            (.connectionLost(host: "h"), 1), (.timedOut(host: "h", after: .seconds(30)), 1),
        ])
    func wrapped(error: TransportError, attempts: Int) async throws {
        let sessions = try await expired(Self.spends)
        line.fails(error)
        #expect(await fixture.failureCode(sessions) == (attempts == 0 ? "test_failure" : "refresh_postponed"))
        #expect(try await note()?.attempt == attempts)
    }

    @Test("A backend that takes a lost response for a request that was not sent is not believed")
    func mistaken() async throws {
        let sessions = try await expired { credential, context in
            do {
                return try await Self.spends(credential, context)
            } catch {
                return .notSent(error)
            }
        }
        line.fails(TransportError.connectionLost(host: "h"))
        #expect(await fixture.failureCode(sessions) == "connection_lost")
        #expect(try await note()?.attempt == 1)
    }

    @Test("A backend that does not say what it sends leaves every error in doubt")
    func silent() async throws {
        let sessions = fixture.sessions(exchange: { _ in throw TransportError.connectionRefused(host: "h") })
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        #expect(await fixture.failureCode(sessions) == "connection_refused")
        #expect(try await note()?.attempt == 1)
    }

    @Test(
        "A process that was away after its note notes the token again, and sends nothing when that goes on",
        arguments: [1, 9])
    func away(times: Int) async throws {
        let left = Locked(0)
        let store = HookedStore(
            base: fixture.store,
            beforeWrite: { [clock = fixture.clock] key in
                guard key.collection == .refreshes else { return }
                let isAway = left.withLock {
                    $0 -= 1
                    return $0 >= 0
                }
                if isAway { clock.advance(by: .seconds(3)) }
            })
        let sessions = try await expired(store: store, Self.spends)
        left.withLock { $0 = times }
        let sentAt = fixture.clock.now + 3
        let found = Locked<RefreshIntent?>(nil)
        line.answer.withLock { [self] in
            $0 = {
                let note = try await note()
                found.withLock { $0 = note }
            }
        }
        #expect(await fixture.failureCode(sessions) == (times == 1 ? nil : "test_failure"))
        #expect(line.sent.withLock { $0.count } == (times == 1 ? 1 : 0))
        #expect(found.withLock { $0?.sentAt } == (times == 1 ? sentAt : nil))
        if times != 1 { #expect(try await note()?.attempt == 0) }
    }

    @Test("A repetition belongs to the first sending, unless it comes late", arguments: [19, 20])
    func repetition(after seconds: Int) async throws {
        let sessions = try await expired { [clock = fixture.clock] credential, context in
            _ = try await context.spend(#require(Self.request))
            clock.advance(by: .seconds(seconds))
            return try await Self.spends(credential, context)
        }
        let code = await fixture.failureCode(sessions)
        #expect(code == (seconds == 19 ? nil : "test_failure"))
        #expect(line.sent.withLock { $0.count } == (seconds == 19 ? 2 : 1))
        if seconds == 20 { #expect(try await note()?.attempt == 0) }
    }

    @Test("A second request that was not sent takes no doubt from a first one without a response")
    func repeatedInDoubt() async throws {
        let sessions = try await expired { [line] credential, context in
            _ = try? await context.spend(#require(Self.request))
            line.fails(TransportError.connectionRefused(host: "h"))
            return try await Self.spends(credential, context)
        }
        line.fails(TransportError.connectionLost(host: "h"))
        #expect(await fixture.failureCode(sessions) == "refresh_postponed")
        #expect(try await note()?.attempt == 1)
    }

    @Test("After the refresh its context sends nothing")
    func afterwards() async throws {
        let kept = Locked<RefreshContext?>(nil)
        let sessions = try await expired { credential, context in
            kept.withLock { $0 = context }
            return try await Self.spends(credential, context)
        }
        #expect(try await fixture.token(sessions) == "token-1")
        let context = try #require(kept.withLock { $0 })
        await #expect(throws: TransportError.notSentInTime(host: "id.example.com")) {
            _ = try await context.spend(#require(Self.request))
        }
        #expect(line.sent.withLock { $0.count } == 1)
    }
}

/// A store of a fleet, which may not hear of its holders.
private struct CutOffStore: TokenStoreWrapper {
    private struct Lease: StoreLease {
        let base: any StoreLease
        let isConfirmed: Bool

        func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
            try await base.write(content, replacing: generation)
        }
        func release() async { await base.release() }
    }

    let wrapped: any TokenStore
    let isCutOff = Locked(false)

    func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        let isConfirmed = isCutOff.withLock { !$0 }
        return try await wrapped.lease(for: key).map { Lease(base: $0, isConfirmed: isConfirmed) }
    }
}
