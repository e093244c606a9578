import Foundation

/// Keeps a chain from asking a backend that has just been found dead: one probe per pause, not one timeout per call.
///
/// Closed lets everybody through. A failure opens it for a pause; then it is half open and lets one caller probe. A good
/// probe closes it, a failed one opens it again for twice as long.
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

    /// Lets the caller through, who then has to report what happened.
    /// - Returns: `nil` to go on; otherwise how long not to ask.
    func admit() -> Duration? {
        let now = time.now
        return state.withLock { state in
            switch state {
            case .closed:
                return nil
            case .open(let until, let pause) where now >= until:
                state = .halfOpen(pause: pause)
                return nil
            case .open(let until, _):
                return .milliseconds(Int64((until.timeIntervalSince(now) * 1000).rounded(.up)))
            case .halfOpen(let pause):
                return pause
            }
        }
    }

    /// The backend answered, whatever it said.
    func answered() {
        state.withLock { $0 = .closed }
    }

    /// The backend could not be reached.
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

    /// The caller gave up before anything was learnt, so the next one may probe.
    func learntNothing() {
        let now = time.now
        state.withLock { state in
            if case .halfOpen(let pause) = state { state = .open(until: now, pause: pause) }
        }
    }
}

extension Error {
    /// Whether the error says that a backend cannot be reached for now, so that a new sign-in may be tried elsewhere. A
    /// store in trouble says nothing about the backend, and a user who gives up does not want to be asked again.
    var meansUnavailableBackend: Bool {
        if self is CancellationError || self is TokenStoreError || self is RandomnessError { return false }
        if let error = self as? ChainError { return error.underlying?.meansUnavailableBackend ?? false }
        return identityFailureClass != .definitive
    }
}
