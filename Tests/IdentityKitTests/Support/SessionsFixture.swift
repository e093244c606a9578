import Foundation
import IdentityKit
import IdentityTesting

/// A session that expires by a manual clock, at a backend that rotates refresh tokens and takes a second use of one for
/// a theft.
struct SessionsFixture: Sendable {
    let clock = ManualClock()
    let store: FaultyTokenStore
    let backend: RotatingBackend
    let account = AccountID(account: "ada", realm: "work")
    let monitor = RefreshMonitor()

    init(store: any TokenStore = MemoryTokenStore()) {
        self.store = FaultyTokenStore(store)
        backend = RotatingBackend(clock: clock)
    }

    /// What one process has. Every call makes another one.
    /// - Parameter exchange: refreshes a credential; by default the backend does.
    func sessions(
        replay: ReplayPolicy = .never, store: (any TokenStore)? = nil, time: TimeSource? = nil,
        exchange: SessionBackend.Exchange? = nil,
        verify: (@Sendable (Credential) async throws -> RefreshVerification)? = nil,
        inquire: SessionBackend.Inquire? = nil
    ) -> ProviderSessions {
        var verifies: SessionBackend.Verify?
        if let verify { verifies = { credential, _ in try await verify(credential) } }
        return ProviderSessions(
            realm: "work", origin: .anyone(at: "https://id.example.com"), store: store ?? self.store,
            time: time ?? clock.dates,
            replay: replay, monitor: monitor, discard: { [backend] in backend.noteDiscarded($0) },
            areIndependent: { _, _ in true },
            verify: verifies, inquire: inquire,
            exchange: exchange ?? { [backend] in try await backend.refresh($0) })
    }

    func credential(
        _ token: String = "token", refreshToken: Secret? = "refresh-0", lifetime: TimeInterval? = 3600,
        scopes: Set<String> = [], backend: String = "https://id.example.com"
    ) -> Credential {
        Credential(
            accessToken: Secret(token), refreshToken: refreshToken, scopes: scopes, issuedAt: clock.now,
            expiresAt: lifetime.map { clock.now + $0 }, signedInAt: clock.now, backend: backend)
    }

    /// A process with a session whose access token has just expired.
    func expired(replay: ReplayPolicy = .never) async throws -> ProviderSessions {
        let sessions = sessions(replay: replay)
        try await sessions.begin(credential(), for: account)
        clock.advance(by: .seconds(3600))
        return sessions
    }

    func token(_ sessions: ProviderSessions, replacing rejected: String? = nil) async throws -> String {
        try await sessions.accessToken(for: account, scopes: [], freshness: TokenFreshness(replacing: rejected))
    }

    /// The result of `work`, with the clock moving for as long as it takes.
    func whileTimePasses<Result>(_ work: () async throws -> Result) async rethrows -> Result {
        let passing = Task { [clock] in
            while !Task.isCancelled {
                if clock.sleeperCount > 0 { clock.advance(by: .seconds(1)) }
                await Task.yield()
            }
        }
        defer { passing.cancel() }
        return try await work()
    }

    /// The code of the error that asking for a token ends with.
    func failureCode(_ sessions: ProviderSessions, replacing rejected: String? = nil) async -> String? {
        await FileStoreFixture.failureCode { try await token(sessions, replacing: rejected) }
    }
}

/// A backend whose refresh tokens are `refresh-0`, `refresh-1`, … and whose next answers a test writes down.
final class RotatingBackend: Sendable {
    /// What happens to one request.
    enum Answer: Sendable {
        /// It is answered.
        case answer
        /// It arrives, and the answer is lost.
        case loseAnswer
        /// It is lost on the way, and nobody knows.
        case loseRequest
        /// It is not sent.
        case refuseConnection
        /// It is turned away.
        case turnAway
        /// It is turned away with this code, in words that may mean that the session is over.
        case refuseAmbiguously(String)
        /// The person is asked for, with this code.
        case askForPerson(String)
        /// The client is turned away with this code.
        case refuseClient(String)
        /// What the session has is refused with this code.
        case refuseScope(String)
        /// A success that nobody can read, which fails with this code and class.
        case answerUnreadably(String, FailureClass = .transient)
        /// It is asked to come back after this time.
        case askToWait(Duration?)
        /// It is answered after `work`.
        case after(@Sendable () async throws -> Void)
    }

    private struct State: Sendable {
        var current = 0
        var isRevoked = false
        var script: [Answer] = []
        var requests: [String] = []
        var replays = 0
        var discarded: [String] = []
    }

    private let clock: ManualClock
    private let state = Locked(State())

    init(clock: ManualClock) {
        self.clock = clock
    }

    /// The next requests' fates; afterwards everything is answered.
    func script(_ answers: Answer...) { script(answers) }

    func script(_ answers: [Answer]) {
        state.withLock { $0.script += answers }
    }

    /// The refresh tokens that arrived, in order.
    var requests: [String] { state.withLock { $0.requests } }
    var replays: Int { state.withLock { $0.replays } }
    var discarded: [String] { state.withLock { $0.discarded } }

    func revoke() {
        state.withLock { $0.isRevoked = true }
    }

    func noteDiscarded(_ credential: Credential) {
        state.withLock { $0.discarded.append(credential.refreshToken?.reveal() ?? "") }
    }

    func refresh(_ credential: Credential) async throws -> RefreshResult {
        let fate = state.withLock { $0.script.isEmpty ? .answer : $0.script.removeFirst() }
        switch fate {
        case .answer:
            return answer(credential)
        case .after(let work):
            let answer = answer(credential)
            try await work()
            return answer
        case .loseAnswer:
            _ = answer(credential)
            throw TransportError.connectionLost(host: "id.example.com")
        case .loseRequest:
            throw TransportError.timedOut(host: "id.example.com", after: .seconds(30))
        case .refuseConnection:
            return .notSent(TransportError.connectionRefused(host: "id.example.com"))
        case .turnAway:
            return .unspent(TestError(failureCode: "turned_away", failureClass: .transient))
        case .askToWait(let time):
            note(credential)
            return .unspent(TestError(failureCode: "slow_down", failureClass: .transient), retryAfter: time)
        case .refuseAmbiguously(let code):
            note(credential)
            return .ambiguous(TestError(failureCode: code, failureClass: .definitive))
        case .askForPerson(let code):
            note(credential)
            return .personNeeded(TestError(failureCode: code))
        case .refuseClient(let code):
            note(credential)
            return .misconfigured(TestError(failureCode: code, failureClass: .definitive))
        case .answerUnreadably(let code, let kind):
            note(credential)
            return .unreadable(TestError(failureCode: code, failureClass: kind))
        case .refuseScope(let code):
            note(credential)
            return .stepUpNeeded(TestError(failureCode: code, failureClass: .definitive))
        }
    }

    private func note(_ credential: Credential) {
        state.withLock { $0.requests.append(credential.refreshToken?.reveal() ?? "") }
    }

    private func answer(_ credential: Credential) -> RefreshResult {
        state.withLock { state in
            let token = credential.refreshToken?.reveal() ?? ""
            state.requests.append(token)
            if token != "refresh-\(state.current)" {
                state.replays += 1
                state.isRevoked = true
            }
            if state.isRevoked { return .refused(reason: "The refresh token was revoked.") }
            state.current += 1
            var refreshed = credential
            refreshed.accessToken = Secret("token-\(state.current)")
            refreshed.refreshToken = Secret("refresh-\(state.current)")
            (refreshed.issuedAt, refreshed.expiresAt) = (clock.now, clock.now + 3600)
            return .refreshed(refreshed)
        }
    }
}
