import Foundation
import IdentityKit

/// Reads lines from standard input, which may be a terminal with an echo.
package final class Keyboard: Sendable {
    package var isInteractive: Bool { input.isTerminal }

    /// Whether a person at the terminal can type. A job in the background that reads from the terminal is stopped.
    package var isInForeground: Bool {
        guard isInteractive, let file = input.file else { return false }
        let group = tcgetpgrp(file.fileDescriptor)
        return group == -1 || group == getpgrp()
    }

    private let input: TerminalInput

    /// Whether a signal is given back to the program once the echo is on again. A program that catches signals itself
    /// switches the echo on with ``showInput()``.
    private let guardsEcho: Bool

    /// The settings of the terminal before its echo was switched off.
    private let restored = Locked<termios?>(nil)

    /// - Parameters:
    ///   - input: what is read.
    ///   - guardsEcho: whether Ctrl-C switches the echo on again, before it has its usual effect.
    package init(_ input: TerminalInput = .standard, guardsEcho: Bool) {
        self.input = input
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
        let line = try await withTaskCancellationHandler {
            try await input.line()
        } onCancel: {
            showInput()
        }
        guard let line else { throw TerminalPromptError.inputEnded }
        return line
    }

    private func hideInput() {
        guard isInteractive, let file = input.file else { return }
        var settings = termios()
        guard tcgetattr(file.fileDescriptor, &settings) == 0 else { return }
        restored.withLock { $0 = settings }
        settings.c_lflag &= ~tcflag_t(ECHO)
        // The line's end is shown, so that the next text begins on a new line.
        settings.c_lflag |= tcflag_t(ECHONL)
        // Not `TCSAFLUSH`, which discards further lines that were pasted.
        tcsetattr(file.fileDescriptor, TCSADRAIN, &settings)
    }

    /// Switches the echo on again, if a line is being read without it.
    @Sendable package func showInput() {
        restored.withLock { saved in
            guard var settings = saved, let file = input.file else { return }
            tcsetattr(file.fileDescriptor, TCSADRAIN, &settings)
            saved = nil
        }
    }
}
