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

    /// Switches the echo on before a signal has its usual effect in the program.
    package enum Guard: Sendable {
        /// Nobody: the program's signals are not ours.
        case nothing
        /// Ctrl-Z, after which the echo is off again, and Ctrl-\. A program that catches Ctrl-C itself calls ``showInput()``.
        case stops
        case everything
    }

    private let caught: Guard

    /// A line that is being read without echo, and the settings of the terminal before the echo was switched off.
    private struct HiddenLine {
        var former: termios?
    }

    private let hidden = Locked<HiddenLine?>(nil)
    /// Ends the line of the open question.
    private let question = Locked<(@Sendable () -> Void)?>(nil)

    /// - Parameters:
    ///   - input: what is read.
    ///   - caught: which signals find the echo on.
    package init(_ input: TerminalInput = .standard, guarding caught: Guard) {
        self.input = input
        self.caught = caught
    }

    /// The next line, without its end.
    /// - Parameters:
    ///   - echo: whether what is typed is shown.
    ///   - ask: shows the question, once the echo is off.
    ///   - ended: ends the line of the question at a terminal, when no answer comes.
    /// - Throws: ``TerminalPromptError/inputEnded``, or `CancellationError` when the task is cancelled, with the echo on again.
    package func line(
        echo: Bool, after ask: () -> Void = {}, ended: @escaping @Sendable () -> Void = {}
    ) async throws -> String {
        #if os(Linux) || os(macOS)
        let isHidden = !echo && isInteractive
        let ends = isHidden && caught == .everything ? CaughtSignals(cleaningUpBefore: showInput) : nil
        let stops =
            isHidden && caught != .nothing ? CaughtSignals(pausing: pause, resuming: hideInput) : nil
        defer { withExtendedLifetime((ends, stops)) {} }
        #endif
        if !echo {
            hidden.withLock { $0 = HiddenLine() }
            hideInput()
        }
        defer { showInput() }
        ask()
        question.withLock { $0 = ended }
        do {
            let line = try await withTaskCancellationHandler {
                try await input.line()
            } onCancel: {
                leave()
            }
            guard let line else { throw TerminalPromptError.inputEnded }
            question.withLock { $0 = nil }
            return line
        } catch {
            leave()
            throw error
        }
    }

    /// Leaves the open question, if there is one: ends its line, drops what was begun to type, and switches the echo on. A
    /// cancelled program calls this before it ends, since the task that asked may not get so far.
    package func leave() {
        showInput()
        guard let ended = question.exchange(nil), isInteractive else { return }
        // Letters without a line's end would be typed into the shell.
        if isInForeground, let file = input.file { tcflush(file.fileDescriptor, TCIFLUSH) }
        ended()
    }

    @Sendable private func hideInput() {
        // In the background the settings are those of the program in front.
        guard isInForeground, let file = input.file else { return }
        hidden.withLock { line in
            var settings = termios()
            guard line != nil, tcgetattr(file.fileDescriptor, &settings) == 0 else { return }
            if line?.former == nil { line?.former = settings }
            settings.c_lflag &= ~tcflag_t(ECHO)
            // The line's end is shown, so that the next text begins on a new line.
            settings.c_lflag |= tcflag_t(ECHONL)
            // Not `TCSAFLUSH`, which discards further lines that were pasted.
            tcsetattr(file.fileDescriptor, TCSADRAIN, &settings)
        }
    }

    /// Switches the echo on again, until the program goes on.
    @Sendable private func pause() { hidden.withLock { showInput(of: &$0) } }

    /// Switches the echo on again, if a line is being read without it.
    @Sendable package func showInput() {
        hidden.withLock { line in
            showInput(of: &line)
            line = nil
        }
    }

    private func showInput(of line: inout HiddenLine?) {
        guard var settings = line?.former, let file = input.file else { return }
        tcsetattr(file.fileDescriptor, TCSADRAIN, &settings)
        line?.former = nil
    }
}
