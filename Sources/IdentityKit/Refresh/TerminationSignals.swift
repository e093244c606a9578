#if os(Linux) || os(macOS)
import Dispatch
import Foundation

/// Lets SIGINT, SIGTERM and SIGHUP end a tool only after a running renewal is stored. A second signal changes nothing;
/// after the deadline the process ends in any case, by the signal it got.
public final class TerminationSignals {
    private let sources: [any DispatchSourceSignal]

    /// Takes the signals over, for as long as this object lives.
    /// - Parameters:
    ///   - monitor: the monitor of the environment whose renewals are waited for.
    ///   - deadline: the longest wait.
    public init(waitingFor monitor: RenewalMonitor, atMost deadline: Duration = .seconds(10)) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { @Sendable in
                Task {
                    await monitor.close(within: deadline)
                    signal(number, SIG_DFL)
                    kill(getpid(), number)
                }
            }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }
}
#endif
