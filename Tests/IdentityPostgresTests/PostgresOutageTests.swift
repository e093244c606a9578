#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import IdentityTesting
import TestSupport
import Testing

/// The database or a connection to it ends while the sessions of many people are being refreshed at an issuer that takes each
/// refresh token once.
@Suite(.endsInTime) struct PostgresOutageTests {
    enum Outage: CaseIterable {
        case holderDisconnected, backendKilled, restarted, away
    }

    /// Where the holders are when it happens.
    enum Phase: CaseIterable {
        case beforeSending, sent, answered
    }

    private static let isFull = ProcessInfo.processInfo.environment["SWIFT_IDENTITY_FULL_TESTS"] == "1"
    private static let runs: [(Outage, Phase)] = Outage.allCases.flatMap { outage in
        Phase.allCases.map { (outage, $0) }
    }.filter { outage, phase in
        isFull || phase == .sent || (outage, phase) == (.holderDisconnected, .beforeSending)
            || (outage, phase) == (.away, .answered)
    }

    private static let accounts = (0..<40).map { AccountID(account: "person-\($0)", realm: "work") }

    @Test(
        "No session is lost, no refresh token is sent twice, and every caller is told the truth",
        arguments: runs)
    func noneLost(outage: Outage, phase: Phase) async throws {
        let (server, clock) = (try PostgresServer(), ManualClock())
        let issuer = StrictIssuer(waitsBeforeActing: phase == .beforeSending)
        let (store, database) = try await server.store()
        func machine(_ application: String) throws -> ProviderSessions {
            issuer.sessions(over: try server.open(database, application: application, options: .patient), clock)
        }
        let (holder, other) = (try machine("holder"), try machine("other"))
        for account in Self.accounts {
            try await holder.begin(issuer.credential(of: account, at: clock.now), for: account)
        }
        clock.advance(by: .seconds(3600))

        let failures = Locked(0)
        async let held = Self.tokens(of: holder) { failures.withLock { $0 += 1 } }
        // On a busy machine a call may give up before it sends.
        while issuer.state.waiting + failures.withLock({ $0 }) < Self.accounts.count { await Task.yield() }
        let sent = issuer.state.waiting
        async let waiting = Self.tokens(of: other)
        switch outage {
        case .holderDisconnected: try server.endConnections(of: "holder", in: database)
        case .backendKilled: try server.killBackend(of: "holder", in: database)
        case .restarted: server.kill()
        case .away:
            server.kill()
            let hurried = try server.open(database, options: .waiting(.milliseconds(200)))
            await #expect(throws: TokenStoreError.self) { try await hurried.records(in: .accounts) }
        }
        if phase == .answered {
            issuer.answer()
            while issuer.state.answered < sent { await Task.yield() }
        }
        if [.restarted, .away].contains(outage) { try server.start() }
        issuer.answer()

        for result in await held + waiting {
            guard case .failure(let error) = result else { continue }
            let failure = try #require(error as? any IdentityFailure, "\(error)")
            #expect(failure.failureClass == .transient && !failure.asksForSignIn, "\(error)")
        }
        // A machine that has received tokens stores them when it can, and has them until then.
        let later = try machine("later")
        for account in Self.accounts {
            let received = try await Self.token(of: account, in: holder, clock)
            while try await Self.token(of: account, in: later, clock) != received { await Task.yield() }
        }
        #expect(issuer.state.requests == Self.accounts.count)
        #expect(issuer.state.replays == 0)
        withExtendedLifetime(store) {}
    }

    private static func tokens(
        of sessions: ProviderSessions, _ failed: @escaping @Sendable () -> Void = {}
    ) async -> [Result<String, any Error>] {
        await withTaskGroup(of: Result<String, any Error>.self) { group in
            for account in accounts {
                group.addTask {
                    do { return .success(try await sessions.accessToken(for: account, scopes: [])) } catch {
                        failed()
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: [Result<String, any Error>]()) { $0.append($1) }
        }
    }

    /// The token, as soon as what hinders it has passed. A pause passes by `clock`, which stands still otherwise.
    private static func token(
        of account: AccountID, in sessions: ProviderSessions, _ clock: ManualClock
    ) async throws -> String {
        while true {
            do { return try await sessions.accessToken(for: account, scopes: []) } catch let error
                as any IdentityFailure
            {
                guard error.failureClass == .transient else { throw error }
                if let pause = (error as? SessionError)?.nextAttempt?.timeIntervalSince(clock.now), pause > 0 {
                    clock.advance(by: .seconds(pause))
                }
                await Task.yield()
            }
        }
    }
}

/// An issuer that takes each refresh token once, and responds when it is told to.
private final class StrictIssuer: Sendable {
    struct State: Sendable {
        var current: [String: Int] = [:]
        var waiting = 0
        var requests = 0
        var replays = 0
        var answered = 0
    }

    private let locked = Locked(State())
    private let (gate, opener) = AsyncStream.makeStream(of: Never.self)
    private let waiting: Task<Void, Never>
    private let waitsBeforeActing: Bool

    init(waitsBeforeActing: Bool) {
        self.waitsBeforeActing = waitsBeforeActing
        waiting = Task { [gate] in for await _ in gate {} }
    }

    var state: State { locked.withLock { $0 } }

    func answer() { opener.finish() }

    func sessions(over store: PostgresTokenStore, _ clock: ManualClock) -> ProviderSessions {
        ProviderSessions(
            realm: "work", origin: .anyone(at: "https://id.example.com"), store: store, time: clock.dates
        ) { [self] former in
            let parts = former.refreshToken?.reveal().split(separator: " ").map(String.init) ?? []
            let name = try #require(parts.first)
            locked.withLock { $0.waiting += 1 }
            if waitsBeforeActing { await waiting.value }
            let number = locked.withLock { state in
                state.requests += 1
                let isCurrent = parts.last == "\(state.current[name, default: 0])"
                if isCurrent { state.current[name, default: 0] += 1 } else { state.replays += 1 }
                return isCurrent ? state.current[name] : nil
            }
            if !waitsBeforeActing { await waiting.value }
            locked.withLock { $0.answered += 1 }
            guard let number else { return .refused(reason: "invalid_grant") }
            return .refreshed(Self.credential(name, number, at: clock.now, signedInAt: former.signedInAt))
        }
    }

    func credential(of account: AccountID, at now: Date) -> Credential {
        Self.credential(account.account, 0, at: now, signedInAt: now)
    }

    private static func credential(_ name: String, _ number: Int, at now: Date, signedInAt: Date) -> Credential {
        Credential(
            accessToken: Secret("access \(name) \(number)"), refreshToken: Secret("\(name) \(number)"), issuedAt: now,
            expiresAt: now + 3600, signedInAt: signedInAt, backend: "https://id.example.com")
    }
}
#endif
