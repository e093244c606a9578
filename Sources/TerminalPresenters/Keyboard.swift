import Foundation
import IdentityKit

/// Reads lines from standard input, each on a thread of its own, because a blocked task would occupy one of the few threads
/// that all tasks share.
final class Keyboard: Sendable {
    /// Whether standard input is a terminal.
    let isInteractive = isatty(STDIN_FILENO) == 1

    /// The settings of the terminal before its echo was switched off.
    private let restored = Locked<termios?>(nil)

    /// The next line, without its end.
    /// - Parameters:
    ///   - echo: whether what is typed is shown.
    ///   - ask: shows the question, once the echo is off.
    /// - Throws: ``InputEnded``, or `CancellationError` when the task is cancelled, with the echo on again.
    func line(echo: Bool, after ask: () -> Void = {}) async throws -> String {
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
        guard let line else { throw InputEnded() }
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
    func showInput() {
        restored.withLock { saved in
            guard var settings = saved else { return }
            tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
            saved = nil
        }
    }
}

/// Standard input was closed before every question was answered.
struct InputEnded: IdentityFailure {
    let failureCode = "input_ended"
    let failureClass = FailureClass.definitive
    let message = "Standard input ended before every question was answered. Run the command at a terminal."
}
