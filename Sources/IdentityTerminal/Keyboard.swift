import Foundation
import IdentityKit

/// Reads lines from standard input, each on a thread of its own, because a blocked task would occupy one of the few threads
/// that all tasks share.
package final class Keyboard: Sendable {
    /// Whether standard input is a terminal.
    package let isInteractive = isatty(STDIN_FILENO) == 1

    /// Whether a signal is given back to the program once the echo is on again. A program that catches signals itself
    /// switches the echo on with ``showInput()``.
    private let guardsEcho: Bool

    /// The settings of the terminal before its echo was switched off.
    private let restored = Locked<termios?>(nil)

    /// - Parameter guardsEcho: whether Ctrl-C switches the echo on again, before it has its usual effect.
    package init(guardsEcho: Bool) {
        self.guardsEcho = guardsEcho
    }

    /// The next line, without its end.
    /// - Parameters:
    ///   - echo: whether what is typed is shown.
    ///   - ask: shows the question, once the echo is off.
    /// - Throws: ``TerminalPromptError/inputEnded``, or `CancellationError` when the task is cancelled, with the echo on again.
    package func line(echo: Bool, after ask: () -> Void = {}) async throws -> String {
        #if os(Linux) || os(macOS)
        let signals = guardsEcho && !echo && isInteractive ? CaughtSignals(cleaningUpBefore: showInput) : nil
        defer { withExtendedLifetime(signals) {} }
        #endif
        if !echo { hideInput() }
        defer { showInput() }
        ask()
        let waiting = Locked<CheckedContinuation<String?, any Error>?>(nil)
        let line = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting.withLock { $0 = continuation }
                // The task may have been cancelled before.
                if Task.isCancelled { Self.finish(waiting, .failure(CancellationError())) }
                Thread.detachNewThread {
                    let line = readLine(strippingNewline: true)
                    Self.finish(waiting, .success(line))
                }
            }
        } onCancel: {
            showInput()
            Self.finish(waiting, .failure(CancellationError()))
        }
        guard let line else { throw TerminalPromptError.inputEnded }
        return line
    }

    private static func finish(
        _ waiting: Locked<CheckedContinuation<String?, any Error>?>, _ result: Result<String?, any Error>
    ) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(with: result)
    }

    private func hideInput() {
        guard isInteractive else { return }
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        restored.withLock { $0 = settings }
        settings.c_lflag &= ~tcflag_t(ECHO)
        // The line's end is shown, so that the next text begins on a new line.
        settings.c_lflag |= tcflag_t(ECHONL)
        // Not `TCSAFLUSH`, which discards further lines that were pasted.
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }

    /// Switches the echo on again, if a line is being read without it.
    @Sendable package func showInput() {
        restored.withLock { saved in
            guard var settings = saved else { return }
            tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
            saved = nil
        }
    }
}
