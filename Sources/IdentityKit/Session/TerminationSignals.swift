#if os(Linux) || os(macOS)
/// Delays the end of a command-line tool after SIGINT, SIGTERM or SIGHUP until a running refresh is stored, but not beyond
/// a deadline. The signal then terminates the process. A second signal during the delay has no effect. Under `nohup`,
/// SIGHUP stays ignored.
public final class TerminationSignals {
    private let signals: CaughtSignals

    /// Catches the signals for as long as this object lives.
    /// - Parameters:
    ///   - environment: the environment whose providers refresh the sessions.
    ///   - deadline: the longest wait; by default 40 seconds, because the requests of a refresh take at most 30.
    public init(waitingFor environment: IdentityEnvironment, atMost deadline: Duration = .seconds(40)) {
        signals = CaughtSignals { [monitor = environment.refreshMonitor] number in
            Task {
                await monitor.close(within: deadline)
                CaughtSignals.endProcess(with: number)
            }
        }
    }
}
#endif
