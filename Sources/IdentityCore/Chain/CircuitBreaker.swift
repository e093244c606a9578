import Foundation

/// Spares the callers of a chain most of the waiting for a backend that cannot be reached. After each pause, only one
/// caller waits for the backend.
///
/// A failure opens the breaker for a pause, in which no caller is admitted. After the pause, one caller is admitted to
/// probe the backend. A response closes the breaker. A failure of the probe opens the breaker for twice the former
/// pause, but at most for the longest pause.
final class CircuitBreaker: Sendable {
    private enum State: Sendable {
        case closed
        case open(until: Date, pause: Duration)
        case halfOpen(pause: Duration)
    }

    private let state = Locked(State.closed)
    private let time: TimeSource
    private let firstPause: Duration
    private let longestPause: Duration

    init(time: TimeSource, firstPause: Duration = .seconds(30), longestPause: Duration = .seconds(300)) {
        self.time = time
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    /// Admits a caller, which then has to call `responded()`, `failed()` or `learntNothing()`.
    /// - Returns: `nil` when the caller is admitted, otherwise the time to wait.
    func admit() -> Duration? {
        let now = time.now
        return state.withLock { state in
            switch state {
            case .closed:
                return nil
            case .open(let until, let pause) where !until.isAhead(of: now, byAtMost: pause):
                state = .halfOpen(pause: pause)
                return nil
            case .open(let until, _):
                return .milliseconds(Int64((until.timeIntervalSince(now) * 1000).rounded(.up)))
            case .halfOpen(let pause):
                return pause
            }
        }
    }

    func responded() {
        state.withLock { $0 = .closed }
    }

    func failed() {
        let now = time.now
        state.withLock { state in
            let pause: Duration =
                switch state {
                case .closed: firstPause
                case .open(_, let pause): pause
                case .halfOpen(let pause): min(pause * 2, longestPause)
                }
            state = .open(until: now + pause.timeInterval, pause: pause)
        }
    }

    /// Reports that an admitted caller was cancelled before it had a result. The next caller may probe.
    func learntNothing() {
        let now = time.now
        state.withLock { state in
            if case .halfOpen(let pause) = state { state = .open(until: now, pause: pause) }
        }
    }
}

extension Error {
    /// Whether the error means that a backend cannot be used now, so that a chain may try another provider. Such an
    /// error is an ``IdentityFailure`` that is not ``FailureClass/definitive``. A ``ChainError`` counts as its
    /// underlying error does. Errors of the store or the source of random bytes, ``ProviderError``, and cancellations
    /// do not count.
    package var meansUnavailableBackend: Bool {
        if self is CancellationError || self is TokenStoreError || self is RandomnessError { return false }
        if let error = self as? ChainError { return error.underlying?.meansUnavailableBackend ?? false }
        guard let failure = self as? any IdentityFailure, !(self is ProviderError) else { return false }
        return failure.failureClass != .definitive
    }
}
