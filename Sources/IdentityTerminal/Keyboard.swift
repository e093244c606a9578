import Foundation
import IdentityKit

/// Reads lines from an input, by default standard input. On a terminal, the echo of typed characters can be switched off.
package final class Keyboard: Sendable {
    package var isInteractive: Bool { input.isTerminal }

    /// Whether the input is a terminal that this program may read. The system stops a background job that reads from its
    /// terminal.
    package var isInForeground: Bool {
        guard isInteractive, let file = input.file else { return false }
        let group = tcgetpgrp(file.fileDescriptor)
        return group == -1 || group == getpgrp()
    }

    private let input: TerminalInput

    /// The signals at which the keyboard switches the echo on again, before they have their usual effect.
    package enum Guard: Sendable {
        /// No signals, because the program handles signals itself.
        case nothing
        /// The signals of Ctrl-\ and Ctrl-Z. When the program continues after Ctrl-Z, the echo is switched off again. For
        /// Ctrl-C, the program has to call ``showInput()`` itself.
        case stops
        case everything
    }

    private let caught: Guard

    /// State of the terminal while a line is read without echo. The former settings are `nil` while the echo is on.
    private struct HiddenLine {
        var former: termios?
    }

    private let hidden = Locked<HiddenLine?>(nil)
    /// Function that ends the line of the open question; `nil` when no question is open.
    private let question = Locked<(@Sendable () -> Void)?>(nil)

    /// Creates a reader of the lines of `input`.
    /// - Parameters:
    ///   - input: the input to read.
    ///   - caught: the signals at which the keyboard switches the echo on again, before they have their usual effect.
    package init(_ input: TerminalInput = .standard, guarding caught: Guard) {
        self.input = input
        self.caught = caught
    }

    /// Reads the next line, without its line end. The echo is on again when the call returns or throws.
    /// - Parameters:
    ///   - echo: whether the terminal shows typed characters.
    ///   - ask: shows the question. Called after the echo is switched off.
    ///   - ended: ends the line of the question. Called on a terminal when no line could be read.
    /// - Throws: ``TerminalPromptError/inputEnded``, `CancellationError` when the task is cancelled, or the error of an
    ///   input that is a function.
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

    /// Abandons the open question: switches the echo on, discards typed characters, and ends the question's line. Call this
    /// before a cancelled program exits, because the exit may come before the task of the question has ended.
    package func leave() {
        showInput()
        guard let ended = question.exchange(nil), isInteractive else { return }
        // Discard typed characters that nobody has read, because otherwise the shell would read them as a command.
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
            // Show the typed line end, so that the next output begins on a new line.
            settings.c_lflag |= tcflag_t(ECHONL)
            // Do not use `TCSAFLUSH`, which would discard the remaining lines of a pasted text.
            tcsetattr(file.fileDescriptor, TCSADRAIN, &settings)
        }
    }

    /// Switches the echo on before the program is suspended. `hideInput()` can switch it off again when the program continues.
    @Sendable private func pause() { hidden.withLock { showInput(of: &$0) } }

    /// Switches the echo on if a line is being read without echo, and leaves it on.
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
