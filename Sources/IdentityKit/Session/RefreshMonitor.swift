import Foundation

/// Counts the refreshes that are running or whose result is not stored yet, and sends reports about sessions to the
/// observers of its environment.
///
/// Where the system suspends processes, as on iOS, a refresh requests background time, also in an extension. If the system
/// grants none, the refresh fails and sends nothing.
package final class RefreshMonitor: Sendable {
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
    package let observers = IdentityObservers()

    /// Creates a monitor for the providers of one environment. On iOS and similar systems, it requests background time
    /// from `ProcessInfo`.
    package convenience init() { self.init(FinishingTime.ofThisSystem) }

    /// Creates a monitor that requests background time.
    /// - Parameter activities: grants the time; `nil` for a system that never suspends processes.
    package init(_ activities: (any ExpiringActivities)?) { finishing = activities.map(FinishingTime.init) }

    /// Streams the reports that are sent from now on. A slow reader gets only the newest 64. Observers receive the same
    /// reports as events.
    package func reports() -> AsyncStream<SessionReport> {
        observers.stream(
            of: { if case .session(let report) = $0.kind { report } else { nil } },
            bufferingPolicy: .bufferingNewest(64))
    }

    /// Lets no new refresh begin, and waits until none is running and every result is stored.
    /// - Parameters:
    ///   - deadline: the longest wait.
    ///   - time: the clock that measures the wait.
    /// - Returns: `false` when a refresh is still running, or a result is not stored, at the deadline.
    @discardableResult
    package func close(within deadline: Duration, time: TimeSource = .system) async -> Bool {
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

    /// The time of the first failure to store a refreshed session, among the sessions that are still not stored; `nil`
    /// when all are stored.
    var oldestNotStored: TimeSource.Mark? { state.withLock { $0.notStored.values.map(\.since).min() } }

    /// Number of refreshes begun in the minute before `now`.
    func leasesInLastMinute(at now: Date) -> Int { state.withLock { $0.leases.count(at: now) } }

    package func report(_ report: SessionReport) {
        observers.emit(.session(report))
    }

    /// Whether ``close(within:time:)`` was called.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether the system is about to suspend the process. Refreshes then send nothing more.
    var isToBeSuspended: Bool { finishing?.isOver ?? false }

    /// Counts a refresh as running until ``finish()``, so that ``close(within:time:)`` waits for it and the system
    /// delays suspending the process.
    /// - Throws: `CancellationError` once the monitor is closed;
    ///   ``/IdentityCore/SessionError/refreshPostponed(_:reason:nextAttempt:)`` when the system grants no background time.
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

    /// Counts a refresh whose result could not be stored as running until ``finish(notStoring:)``.
    /// - Parameters:
    ///   - account: the account of the session.
    ///   - mark: the current time, at which storing has failed.
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

    /// Counts one refresh less as running. After the last one, ``close(within:time:)`` returns and the system may suspend
    /// the process.
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

/// A report about one session, which observers receive as an event.
package enum SessionReport: Sendable {
    /// The session has a new access token: its own, or one for `resource`. `grant` identifies the ``Grant`` that was
    /// refreshed; `nil` for the session's first one.
    case refreshed(AccountID, resource: String? = nil, grant: String? = nil)
    /// The session is suspended: it needs a sign-in, unless the server accepts its tokens again. Its tokens are kept.
    case suspended(AccountID, Suspension)
    /// A suspended session needs no sign-in any more, because a refresh succeeded or the issuer accepts its access token
    /// again.
    case resumed(AccountID)
    /// A refresh failed; the access token is still valid and stays in use.
    case postponed(AccountID, because: any Error, resource: String? = nil, grant: String? = nil)
    /// A refreshed session could not be stored. This process uses it and keeps trying to store it; if the process ends
    /// first, the session may be lost.
    case notStored(AccountID, because: any Error)
    /// The ID token in the response to a refresh could not be verified and was dropped. The session keeps the ID token
    /// that it had before.
    case droppedIDToken(AccountID, because: any Error)
    /// The response to a refresh violated rules, but is usable. Each text names one violation.
    case tolerated(AccountID, [String])
    /// The backend refuses the client and not the session, which means a mistake in the configuration. While the refusals
    /// continue, this is reported at most once an hour.
    case misconfigured(AccountID, because: any Error)
    /// A session was ended, but its revocation failed for now, such as when the backend could not be reached. The
    /// revocation is attempted again for up to a day.
    case revocationPostponed(AccountID, because: any Error)
    /// A session was ended, but its tokens were not revoked and stay valid until they expire.
    case notRevoked(AccountID, because: any Error)
    /// A session that was reported as ``notStored(_:because:)``, or its successor, is stored now.
    case stored(AccountID)
}
