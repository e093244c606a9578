#if os(Linux) || os(macOS)
import Dispatch
import Foundation

/// Receives SIGINT, SIGTERM and SIGHUP in place of the process, for as long as it lives. Afterwards they have the effect
/// that they had before. SIGHUP stays ignored where it is: that is what `nohup` is for.
///
/// There may be one at a time, and another after it: a second would take the first for what was there before.
///
/// A handler that writes into a pipe, and not a dispatch source for signals: on Linux such a source sets the signal's
/// action on a thread of its own, at a moment nobody knows, and a second source for the same signal does not at all.
package final class CaughtSignals {
    private struct Caught {
        let number: Int32
        /// As SIGINT is in what a script starts in the background. What is sent on purpose is still received.
        let wasIgnored: Bool
    }

    private let signals: [Caught]
    private let reader: (any DispatchSourceRead)?

    /// Catches the signals from now on.
    /// - Parameter receive: is called with the number of each signal that comes.
    package init(_ receive: @escaping @Sendable (Int32) -> Void) {
        guard let end = SignalPipe.readEnd else {
            // Not one more file can be opened: signals keep their usual effect.
            (signals, reader) = ([], nil)
            return
        }
        // Came too late for the one before.
        while SignalPipe.next() != nil {}
        let reader = DispatchSource.makeReadSource(fileDescriptor: end, queue: .global())
        reader.setEventHandler { @Sendable in
            while let number = SignalPipe.next() { receive(number) }
        }
        reader.resume()
        self.reader = reader
        signals = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            let wasIgnored = Self.isIgnoring(signal(number) { SignalPipe.tell($0) })
            guard wasIgnored, number == SIGHUP else { return Caught(number: number, wasIgnored: wasIgnored) }
            signal(number, SIG_IGN)
            return nil
        }
    }

    deinit {
        for caught in signals { signal(caught.number, caught.wasIgnored ? SIG_IGN : SIG_DFL) }
        reader?.cancel()
    }

    /// Lets a signal have its usual effect, which ends the process.
    package static func endProcess(with number: Int32) {
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }

    private static func isIgnoring(_ action: (@convention(c) (Int32) -> Void)?) -> Bool {
        // Function pointers have no equality, and `SIG_IGN` is a number that stands for one: nothing to keep in a value
        // whose own absence may be the same number.
        unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// The way from a signal's handler, which may do next to nothing, to ordinary code. It is made once and never closed.
private enum SignalPipe {
    private static let ends: [Int32]? = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            // A full pipe must not stop the handler, nor an empty one the reader.
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return ends
    }()

    static var readEnd: Int32? { ends?[0] }

    /// The next signal that came; `nil` when all are known.
    static func next() -> Int32? {
        var byte: UInt8 = 0
        guard let end = readEnd else { return nil }
        return read(end, &byte, 1) == 1 ? Int32(byte) : nil
    }

    /// Runs in the handler: the pipe was made before it was installed, so this only reads a constant and writes.
    static func tell(_ number: Int32) {
        guard let end = ends?[1] else { return }
        let saved = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(end, &byte, 1)
        errno = saved
    }
}
#endif
