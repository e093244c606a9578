#if os(Linux) || os(macOS)
import Dispatch
import Foundation

/// Catches signals during its lifetime, and restores their former actions afterwards. If SIGHUP, SIGTSTP or SIGQUIT is
/// ignored already, such as SIGHUP under `nohup`, it stays ignored. Other signals are caught even if they are ignored.
///
/// Create only one object for the same signals at a time. A second object would regard the first object's handler as the
/// former action, and would restore that handler at its own end.
///
/// The signal handler writes the number of the signal to a pipe, which a dispatch source reads. A dispatch source for
/// the signal itself is not suitable: on Linux it sets the signal's action on another thread at an unknown time, and a
/// second source for the same signal does not set it at all.
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
            // If there were no free file descriptors for the pipe, signals keep their usual effect.
            reader = nil
            return
        }
        // Discard signals that the previous object did not read before its end.
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

    /// Catches SIGINT, SIGTERM and SIGHUP. At the first signal, calls `cleanUp`, restores the former actions, and sends
    /// the signal to the process again, so that it has its usual effect.
    package convenience init(cleaningUpBefore cleanUp: @escaping @Sendable () -> Void) {
        let restore = Locked<(@Sendable () -> Void)?>(nil)
        self.init { number in
            cleanUp()
            restore.exchange(nil)?()
            kill(getpid(), number)
        }
        restore.withLock { $0 = former.restore }
    }

    /// Catches SIGTSTP (Ctrl-Z), SIGQUIT (Ctrl-\) and SIGCONT.
    /// - Parameters:
    ///   - pause: called before SIGTSTP suspends the program, or SIGQUIT ends it.
    ///   - resume: called at SIGCONT, and also when the program continues after a caught SIGTSTP.
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

/// The actions that signals had before they were caught: the default action, no action, or a handler of the program.
private final class FormerActions: Sendable {
    typealias Handler = @convention(c) (Int32) -> Void

    /// Addresses of handlers, or `SIG_DFL` or `SIG_IGN`, by signal number. Stored as integers, because a dictionary of
    /// optional functions may take `SIG_IGN` for `nil`.
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

    /// Raises a caught signal with its former action, and returns when the program continues. SIGQUIT ends the program
    /// instead.
    func perform(_ number: Int32) {
        guard let address = handlers.withLock({ $0[number] }) else { return }
        // Use the default action for SIGQUIT: at a terminal, Swift's runtime treats it as a crash and offers a
        // backtrace.
        signal(number, number == SIGQUIT ? SIG_DFL : unsafeBitCast(address, to: Handler?.self))
        // Unblock the signal, because threads of a dispatch queue block signals. The signal then takes effect in this
        // thread before `raise` returns.
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

/// A pipe that passes the numbers of signals from the signal handler to ordinary code. A signal handler may call only
/// a few functions, such as `write` (POSIX calls them async-signal-safe). Each pipe is created once and never closed.
private struct SignalPipe: Sendable {
    static let ends = SignalPipe()
    static let stops = SignalPipe()

    /// The handler of all caught signals, which only writes to a pipe. The handler need not create the pipe, because the
    /// pipe was created before the handler was installed.
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
            // Make both ends non-blocking, so that a full pipe does not block the handler, nor an empty pipe the reader.
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    /// Reads the number of the next signal; `nil` when all were read, or the pipe could not be created.
    func next() -> Int32? {
        var byte: UInt8 = 0
        guard let end = readEnd else { return nil }
        return read(end, &byte, 1) == 1 ? Int32(byte) : nil
    }
}
#endif
