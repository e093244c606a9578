#if os(Linux) || os(macOS)
/// Lets SIGINT, SIGTERM and SIGHUP end a tool only after a running refresh is stored. A second signal changes nothing;
/// after the deadline the process ends in any case, by the signal it got. Under `nohup` SIGHUP stays ignored.
public final class TerminationSignals {
    private let signals: CaughtSignals

    /// Takes the signals over, for as long as this object lives.
    /// - Parameters:
    ///   - monitor: the monitor of the environment whose refreshes are waited for.
    ///   - deadline: the longest wait. By default it is longer than a refresh may take.
    public init(waitingFor monitor: RefreshMonitor, atMost deadline: Duration = .seconds(40)) {
        signals = CaughtSignals { number in
            Task {
                await monitor.close(within: deadline)
                CaughtSignals.endProcess(with: number)
            }
        }
    }
}
#endif
