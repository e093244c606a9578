#if os(Linux) || os(macOS)
import Dispatch
import Foundation

/// Catches SIGINT, SIGTERM and SIGHUP for as long as it lives, and restores their former effect afterwards. An ignored
/// SIGHUP stays ignored, for `nohup`.
///
/// Make one at a time: a second would restore the handlers of the first.
///
/// The handler writes to a pipe. A dispatch source for signals does not do: on Linux it sets the signal's action on another
/// thread at an unknown time, and a second source for the same signal does not set it at all.
package final class CaughtSignals {
    private let former = FormerActions()
    private let reader: (any DispatchSourceRead)?

    /// Catches the signals from now on.
    /// - Parameter receive: called with the number of each signal.
    package init(_ receive: @escaping @Sendable (Int32) -> Void) {
        guard let end = SignalPipe.readEnd else {
            // No more files can be opened: signals keep their usual effect.
            reader = nil
            return
        }
        // Signals that arrived after the end of the object before.
        while SignalPipe.next() != nil {}
        let reader = DispatchSource.makeReadSource(fileDescriptor: end, queue: .global())
        reader.setEventHandler { @Sendable in
            while let number = SignalPipe.next() { receive(number) }
        }
        reader.resume()
        self.reader = reader
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let handler = signal(number) { SignalPipe.tell($0) }
            guard Self.isIgnoring(handler), number == SIGHUP else {
                former.keep(handler, for: number)
                continue
            }
            signal(number, SIG_IGN)
        }
    }

    /// Catches the first signal, calls `cleanUp`, and sends the signal again, to whatever it does in this program otherwise.
    package convenience init(cleaningUpBefore cleanUp: @escaping @Sendable () -> Void) {
        let restore = Locked<(@Sendable () -> Void)?>(nil)
        self.init { number in
            cleanUp()
            restore.exchange(nil)?()
            kill(getpid(), number)
        }
        restore.withLock { $0 = former.restore }
    }

    deinit {
        former.restore()
        reader?.cancel()
    }

    package static func endProcess(with number: Int32) {
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }

    private static func isIgnoring(_ action: (@convention(c) (Int32) -> Void)?) -> Bool {
        // Function pointers cannot be compared, and `SIG_IGN` is a number in place of one.
        unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// What signals did before they were caught, which may be what the program has chosen itself.
private final class FormerActions: Sendable {
    typealias Handler = @convention(c) (Int32) -> Void

    /// The addresses of functions, or the numbers in the place of one: as an optional function, `SIG_IGN` can be taken for
    /// `nil`.
    private let handlers = Locked<[Int32: Int]>([:])

    func keep(_ handler: Handler?, for number: Int32) {
        let address = unsafeBitCast(handler, to: Int.self)
        handlers.withLock { $0[number] = address }
    }

    @Sendable func restore() {
        for (number, address) in handlers.exchange([:]) {
            signal(number, unsafeBitCast(address, to: Handler?.self))
        }
    }
}

/// Passes signals from the handler, which may call almost nothing, to ordinary code. The pipe is made once and never closed.
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

    /// The next signal; `nil` when all were read.
    static func next() -> Int32? {
        var byte: UInt8 = 0
        guard let end = readEnd else { return nil }
        return read(end, &byte, 1) == 1 ? Int32(byte) : nil
    }

    /// Runs in the handler. The pipe was made before, so this only reads a constant and writes.
    static func tell(_ number: Int32) {
        guard let end = ends?[1] else { return }
        let saved = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(end, &byte, 1)
        errno = saved
    }
}
#endif
