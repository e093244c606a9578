import Foundation
import IdentityKit

/// Reads lines from standard input, which may be a terminal with an echo.
package final class Keyboard: Sendable {
    package var isInteractive: Bool { input.isTerminal }

    /// Whether a person at the terminal can type. Reading from the terminal would stop a job in the background.
    package var isInForeground: Bool {
        guard isInteractive, let file = input.file else { return false }
        let group = tcgetpgrp(file.fileDescriptor)
        return group == -1 || group == getpgrp()
    }

    private let input: TerminalInput

    /// Signals before whose usual effect the echo is switched on.
    package enum Guard: Sendable {
        /// No signals, because the program handles signals itself.
        case nothing
        /// Ctrl-\, and Ctrl-Z, after which the echo is off again. A program that catches Ctrl-C itself has to call
        /// ``showInput()``.
        case stops
        case everything
    }

    private let caught: Guard

    /// A line being read without echo, and the terminal's former settings.
    private struct HiddenLine {
        var former: termios?
    }

    private let hidden = Locked<HiddenLine?>(nil)
    /// Function that ends the line of the open question; `nil` without one.
    private let question = Locked<(@Sendable () -> Void)?>(nil)

    /// Reads from an input.
    /// - Parameters:
    ///   - input: the input to read.
    ///   - caught: the signals before which the echo is switched on.
    package init(_ input: TerminalInput = .standard, guarding caught: Guard) {
        self.input = input
        self.caught = caught
    }

    /// The next line, without its end.
    /// - Parameters:
    ///   - echo: whether typed characters are shown.
    ///   - ask: shows the question, once the echo is off.
    ///   - ended: ends the line of the question on a terminal when there is no answer.
    /// - Throws: ``TerminalPromptError/inputEnded``, or `CancellationError` when the task is cancelled, with the echo
    ///   on again.
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

    /// Abandons the open question: ends its line, discards typed characters, and switches the echo on. Call this when a
    /// cancelled program ends, because the task that asked may not get the time to.
    package func leave() {
        showInput()
        guard let ended = question.exchange(nil), isInteractive else { return }
        // Discard characters without a line end, which would otherwise be typed into the shell.
        if isInForeground, let file = input.file { tcflush(file.fileDescriptor, TCIFLUSH) }
        ended()
    }

    @Sendable private func hideInput() {
        // A program in the background must not change the terminal's settings.
        guard isInForeground, let file = input.file else { return }
        hidden.withLock { line in
            var settings = termios()
            guard line != nil, tcgetattr(file.fileDescriptor, &settings) == 0 else { return }
            if line?.former == nil { line?.former = settings }
            settings.c_lflag &= ~tcflag_t(ECHO)
            // Show the line end, so that further text begins on a new line.
            settings.c_lflag |= tcflag_t(ECHONL)
            // Not `TCSAFLUSH`, which discards further pasted lines.
            tcsetattr(file.fileDescriptor, TCSADRAIN, &settings)
        }
    }

    /// Switches the echo on until the program continues.
    @Sendable private func pause() { hidden.withLock { showInput(of: &$0) } }

    /// Switches the echo on if a line is being read without it.
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
