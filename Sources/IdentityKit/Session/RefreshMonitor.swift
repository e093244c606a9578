import Foundation

/// Keeps track of refreshes between sending a refresh token and storing the result, and sends reports about sessions to
/// its observers.
///
/// Before a program ends, it should wait for ``close(within:time:)``, because a session is lost when its refresh token
/// is spent and its new tokens are not stored. ``TerminationSignals`` does that for SIGINT, SIGTERM and SIGHUP. Where
/// the system suspends processes, as on iOS, a refresh requests background time, also in an extension, and sends
/// nothing without it.
public final class RefreshMonitor: Sendable {
    private struct State: Sendable {
        var running = 0
        var isClosed = false
        var notStored: [AccountID: (count: Int, since: TimeSource.Mark)] = [:]
        var leases = LastMinute()
        var waiters: [UUID: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Locked(State())
    private let finishing: FinishingTime?

    /// The observers of the environment, which receive every report.
    public let observers = IdentityObservers()

    /// A monitor for the providers of one environment.
    public convenience init() { self.init(FinishingTime.ofThisSystem) }

    /// Makes a monitor for a system that suspends processes.
    package init(_ activities: (any ExpiringActivities)?) { finishing = activities.map(FinishingTime.init) }

    /// The reports from now on. Observers receive the same as events.
    package func reports() -> AsyncStream<SessionReport> {
        observers.stream(
            of: { if case .session(let report) = $0.kind { report } else { nil } },
            bufferingPolicy: .bufferingNewest(64))
    }

    /// Starts no new refresh and waits until none is running.
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

    /// The accounts whose refreshed sessions are not stored yet and would be lost if the process ended.
    package var notStored: [AccountID] { state.withLock { Array($0.notStored.keys) } }

    /// When the oldest unstored session was refreshed; `nil` without one.
    var oldestNotStored: TimeSource.Mark? { state.withLock { $0.notStored.values.map(\.since).min() } }

    /// Number of refreshes begun in the minute before `now`.
    func leasesInLastMinute(at now: Date) -> Int { state.withLock { $0.leases.count(at: now) } }

    package func report(_ report: SessionReport) {
        observers.emit(.session(report))
    }

    /// Whether ``close(within:time:)`` was called.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether the system is about to suspend the process, so that nothing more is sent.
    var isToBeSuspended: Bool { finishing?.isOver ?? false }

    /// Counts a refresh as running until ``finish()``, so that ``close(within:time:)`` waits for it and the system
    /// delays suspending the process.
    /// - Throws: `CancellationError` once the monitor is closed, ``/IdentityCore/SessionError`` when the system grants
    ///   no background time.
    func begin(_ account: AccountID, at now: Date) async throws {
        let isOpen = state.withLock { state in
            if !state.isClosed {
                state.running += 1
                state.leases.add(at: now)
            }
            return !state.isClosed
        }
        guard isOpen else { throw CancellationError() }
        finishing?.enter()
        guard await finishing?.isGiven() ?? true else {
            finish()
            throw SessionError.refreshPostponed(
                account, reason: "The system is about to suspend this app.", nextAttempt: now + 1)
        }
    }

    /// Counts a refresh whose result is not stored yet as running until ``finish(notStoring:)``.
    func extend(notStoring account: AccountID, since mark: TimeSource.Mark) {
        state.withLock { state in
            state.running += 1
            state.notStored[account, default: (0, mark)].count += 1
        }
        finishing?.enter()
    }

    func finish(notStoring account: AccountID) {
        state.withLock { state in
            state.notStored[account]?.count -= 1
            if state.notStored[account]?.count ?? 0 <= 0 { state.notStored[account] = nil }
        }
        finish()
    }

    /// Ends what ``begin(_:at:)`` began.
    func finish() {
        finishing?.leave()
        let waiters = state.withLock { state in
            state.running -= 1
            guard state.running == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// An event of a session's life.
package enum SessionReport: Sendable {
    /// The session has a new access token: its own, or one for `resource`.
    case refreshed(AccountID, resource: String? = nil, grant: String? = nil)
    /// The session is suspended until a new sign-in. Its tokens are kept.
    case suspended(AccountID, Suspension)
    /// A suspended session could be refreshed after all.
    case resumed(AccountID)
    /// A refresh failed; the access token is still valid and stays in use.
    case postponed(AccountID, because: any Error, resource: String? = nil, grant: String? = nil)
    /// A refreshed session could not be stored. This process uses it and keeps trying to store it; if the process ends
    /// first, the session may be lost.
    case notStored(AccountID, because: any Error)
    /// The response to a refresh contained an invalid ID token. The session continues without one.
    case droppedIDToken(AccountID, because: any Error)
    /// The response to a refresh violated these rules, but is usable.
    case tolerated(AccountID, [String])
    /// The backend refuses the client and not the session, which means a mistake in the configuration. Reported once an
    /// hour.
    case misconfigured(AccountID, because: any Error)
    /// A session was ended, but its backend could not be reached and is informed later.
    case revocationPostponed(AccountID, because: any Error)
    /// A session was ended, but its tokens were not revoked and stay valid until they expire.
    case notRevoked(AccountID, because: any Error)
    /// A session that could not be stored earlier is stored now.
    case stored(AccountID)
}
