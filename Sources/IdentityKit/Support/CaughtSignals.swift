#if os(Linux) || os(macOS)
import Dispatch
import Foundation

/// Catches signals during its lifetime, and restores their former actions afterwards. Signals that were ignored when
/// the program started stay ignored: SIGHUP under `nohup`, and terminal signals for a program without a terminal.
///
/// Have only one object for the same signals at a time, because a second one would restore the handlers of the first.
///
/// The handler writes to a pipe. A dispatch source is not suitable: on Linux it sets the signal's action on another
/// thread at an unknown time, and a second source for the same signal does not set it at all.
package final class CaughtSignals {
    private let former = FormerActions()
    private let reader: (any DispatchSourceRead)?

    /// Catches SIGINT, SIGTERM and SIGHUP from now on.
    /// - Parameter receive: called with the number of each signal.
    package convenience init(_ receive: @escaping @Sendable (Int32) -> Void) {
        self.init([SIGINT, SIGTERM, SIGHUP], at: .ends, receive)
    }

    private init(_ numbers: [Int32], at pipe: SignalPipe, _ receive: @escaping @Sendable (Int32) -> Void) {
        guard let end = pipe.readEnd else {
            // Without a free descriptor, signals keep their usual effect.
            reader = nil
            return
        }
        // Drop signals that arrived after the end of the previous object.
        while pipe.next() != nil {}
        let reader = DispatchSource.makeReadSource(fileDescriptor: end, queue: .global())
        reader.setEventHandler { @Sendable in
            while let number = pipe.next() { receive(number) }
        }
        reader.resume()
        self.reader = reader
        for number in numbers {
            let handler = signal(number, SignalPipe.handler)
            guard Self.isIgnoring(handler), [SIGHUP, SIGTSTP, SIGQUIT].contains(number) else {
                former.keep(handler, for: number)
                continue
            }
            signal(number, SIG_IGN)
        }
    }

    /// Catches the first signal, calls `cleanUp`, and raises the signal again, so that it has its usual effect.
    package convenience init(cleaningUpBefore cleanUp: @escaping @Sendable () -> Void) {
        let restore = Locked<(@Sendable () -> Void)?>(nil)
        self.init { number in
            cleanUp()
            restore.exchange(nil)?()
            kill(getpid(), number)
        }
        restore.withLock { $0 = former.restore }
    }

    /// Catches the terminal's signals to suspend the program (Ctrl-Z) or to quit it (Ctrl-\), and the signal to
    /// continue.
    /// - Parameters:
    ///   - pause: called before the signal has its usual effect.
    ///   - resume: called when the program continues.
    package convenience init(
        pausing pause: @escaping @Sendable () -> Void, resuming resume: @escaping @Sendable () -> Void
    ) {
        let former = Locked<FormerActions?>(nil)
        self.init([SIGTSTP, SIGQUIT, SIGCONT], at: .stops) { number in
            guard number != SIGCONT else { return resume() }
            pause()
            former.withLock { $0 }?.perform(number)
            resume()
        }
        former.withLock { $0 = self.former }
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
        // Compare as integers: function pointers cannot be compared, and `SIG_IGN` is a number instead of a pointer.
        unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// The actions of signals before they were caught, which the program may have chosen itself.
private final class FormerActions: Sendable {
    typealias Handler = @convention(c) (Int32) -> Void

    /// Addresses of the functions, or special numbers. Stored as integers, because `SIG_IGN` can be taken for `nil` as
    /// an optional function.
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

    /// Gives a signal its former effect, and returns when the program continues. SIGQUIT ends the program.
    func perform(_ number: Int32) {
        guard let address = handlers.withLock({ $0[number] }) else { return }
        // Use the default action for SIGQUIT: at a terminal, Swift's runtime treats it as a crash and offers a
        // backtrace.
        signal(number, number == SIGQUIT ? SIG_DFL : unsafeBitCast(address, to: Handler?.self))
        // Threads of a dispatch queue block signals. Unblocked, a signal raised for this thread has had its effect when
        // `raise` returns.
        var (own, blocked) = (sigset_t(), sigset_t())
        sigemptyset(&own)
        sigaddset(&own, number)
        pthread_sigmask(SIG_UNBLOCK, &own, &blocked)
        raise(number)
        pthread_sigmask(SIG_SETMASK, &blocked, nil)
        handlers.withLock { handlers in
            if handlers[number] != nil { signal(number, SignalPipe.handler) }
        }
    }
}

/// Passes signals through a pipe from the handler, which may call almost no functions, to ordinary code. Each pipe is
/// created once and never closed.
private struct SignalPipe: Sendable {
    static let ends = SignalPipe()
    static let stops = SignalPipe()

    /// The signal handler. It only reads a constant and writes, because the pipes were created before.
    static let handler: @convention(c) (Int32) -> Void = { number in
        let saved = errno
        let pipe = number == SIGTSTP || number == SIGQUIT || number == SIGCONT ? stops : ends
        var byte = UInt8(truncatingIfNeeded: number)
        if let end = pipe.writeEnd { _ = write(end, &byte, 1) }
        errno = saved
    }

    let readEnd: Int32?
    private let writeEnd: Int32?

    private init() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            (readEnd, writeEnd) = (nil, nil)
            return
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            // Non-blocking, so that neither a full pipe stops the handler nor an empty one the reader.
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    /// The next signal; `nil` when all were read.
    func next() -> Int32? {
        var byte: UInt8 = 0
        guard let end = readEnd else { return nil }
        return read(end, &byte, 1) == 1 ? Int32(byte) : nil
    }
}
#endif
