#if os(Linux) || os(macOS)
import Dispatch
import Foundation

/// Receives SIGINT, SIGTERM and SIGHUP in place of the process, for as long as it lives. Afterwards they have the effect
/// that they had before. SIGHUP stays ignored where it is: that is what `nohup` is for.
///
/// There may be one at a time: a second would take the first for what was there before.
package final class CaughtSignals {
    private struct Caught {
        let number: Int32
        let source: any DispatchSourceSignal
        /// As SIGINT is in what a script starts in the background. What is sent on purpose is still received.
        let wasIgnored: Bool
    }

    private let signals: [Caught]
    /// Is empty once no source watches any more.
    private let watching = DispatchGroup()

    /// Catches the signals from now on.
    /// - Parameter receive: is called with the number of each signal that comes.
    package init(_ receive: @escaping @Sendable (Int32) -> Void) {
        signals = [SIGINT, SIGTERM, SIGHUP].compactMap { [watching] number in
            // A dispatch source only watches: the default action would end the process first.
            let wasIgnored = Self.isIgnoring(signal(number, SIG_IGN))
            guard !wasIgnored || number != SIGHUP else { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { @Sendable in receive(number) }
            source.setCancelHandler { @Sendable in watching.leave() }
            watching.enter()
            source.resume()
            return Caught(number: number, source: source, wasIgnored: wasIgnored)
        }
    }

    deinit {
        for caught in signals { caught.source.cancel() }
        // A source begins and ends on a thread of its own, and sets the signal's action there: in a short life perhaps
        // only now. It takes microseconds; no program should hang should it ever take for ever.
        _ = watching.wait(timeout: .now() + 1)
        for caught in signals { signal(caught.number, caught.wasIgnored ? SIG_IGN : SIG_DFL) }
    }

    /// Lets a signal have its usual effect, which ends the process.
    package static func endProcess(with number: Int32) {
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }

    private static func isIgnoring(_ action: (@convention(c) (Int32) -> Void)?) -> Bool {
        // Function pointers have no equality; `SIG_IGN` is a number that stands for one.
        unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
#endif
