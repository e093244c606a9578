import Foundation

/// Knows which refreshes are at the point of no return, between sending a refresh token and storing what came of it, and
/// tells what happened to sessions beyond what callers see.
///
/// A program that is asked to end waits for ``close(within:time:)`` first: a token that is spent and not stored is a sign-in
/// lost. ``TerminationSignals`` does that for SIGINT and SIGTERM.
public final class RefreshMonitor: Sendable {
    private struct State: Sendable {
        var running = 0
        var isClosed = false
        var notStored: [AccountID: Int] = [:]
        var waiters: [UUID: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Locked(State())

    /// The observers of the environment: what is reported here, they are told too.
    public let observers = IdentityObservers()

    /// A monitor for the providers of one environment.
    public init() {}

    /// What happens to sessions from now on.
    public func reports() -> AsyncStream<SessionReport> {
        observers.stream(
            of: { if case .session(let report) = $0 { report } else { nil } }, bufferingPolicy: .bufferingNewest(64))
    }

    /// Lets no new refresh begin and waits until none is running.
    /// - Parameters:
    ///   - deadline: the longest wait.
    ///   - time: the clock for it.
    /// - Returns: whether none is running now.
    @discardableResult
    public func close(within deadline: Duration, time: TimeSource = .system) async -> Bool {
        state.withLock { $0.isClosed = true }
        let (id, hasExpired) = (UUID(), Locked(false))
        let timer = Task {
            try? await time.sleep(for: deadline)
            let waiter = state.withLock { state in
                hasExpired.withLock { $0 = true }
                return state.waiters.removeValue(forKey: id)
            }
            waiter?.resume()
        }
        await withCheckedContinuation { waiter in
            let waits = state.withLock { state in
                guard state.running > 0, !hasExpired.withLock({ $0 }) else { return false }
                state.waiters[id] = waiter
                return true
            }
            if !waits { waiter.resume() }
        }
        timer.cancel()
        return state.withLock { $0.running == 0 }
    }

    /// The accounts whose refreshed sessions are not stored now. Who ends the process loses them.
    public var notStored: [AccountID] { state.withLock { Array($0.notStored.keys) } }

    /// Tells everybody who listens.
    package func report(_ report: SessionReport) {
        observers.tell(.session(report))
    }

    /// Runs `body`, which nobody should interrupt.
    /// - Throws: `CancellationError` when the process is about to end, and what `body` throws.
    func guarding<Result>(_ body: () async throws -> Result) async throws -> Result {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.running += 1 }
            return !state.isClosed
        }
        guard isOpen else { throw CancellationError() }
        defer { finish() }
        return try await body()
    }

    /// Counts as running until ``finish(notStoring:)``, for a refresh whose result outlives the call.
    func extend(notStoring account: AccountID) {
        state.withLock { state in
            state.running += 1
            state.notStored[account, default: 0] += 1
        }
    }

    func finish(notStoring account: AccountID) {
        state.withLock { state in
            let left = (state.notStored[account] ?? 0) - 1
            state.notStored[account] = left > 0 ? left : nil
        }
        finish()
    }

    private func finish() {
        let waiters = state.withLock { state in
            state.running -= 1
            guard state.running == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// What happened to a session.
public enum SessionReport: Sendable {
    /// It has a new access token.
    case refreshed(AccountID)
    /// A refresh failed, and the access token that still works stays in use.
    case postponed(AccountID, because: any Error)
    /// A refreshed session could not be stored. This process uses it and keeps trying; should it end before that works,
    /// the session may be lost.
    case notStored(AccountID, because: any Error)
    /// A refresh brought an ID token that cannot be used. The session goes on without it.
    case droppedIDToken(AccountID, because: any Error)
    /// The backend refuses the client and not the session: a mistake in the configuration. Told once an hour.
    case misconfigured(AccountID, because: any Error)
    /// A session was ended here, and its backend could not be told: its tokens work there until they expire.
    case notRevoked(AccountID, because: any Error)
    /// A session that could not be stored is stored now.
    case stored(AccountID)
}
