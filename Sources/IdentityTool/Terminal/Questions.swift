import IdentityKit
import IdentityTerminal

struct Question: Sendable {
    /// The name of the setting that the answer sets, or another name, such as `yes` for a confirmation.
    let name: String
    /// The text of the question, such as a sentence that describes the setting.
    let meaning: String
    /// The answer that an empty line stands for; `nil` to ask again.
    var standard: String?
    var isSecret = false
    /// The question that a plug-in defines; `nil` for a question of the tool itself.
    var setting: SettingQuestion?
}

extension Question {
    /// Returns the question for a terminal of this width, broken between words, with the default answer in brackets at its end.
    fileprivate func text(in columns: Int) -> String {
        // Leave room for the colon at the end.
        var lines = meaning.withoutFinalPeriod.brokenIntoLines(of: columns - 2)
        if let standard = standard.map({ "[\($0)]" }) {
            if let last = lines.popLast() {
                lines += last.count + standard.count + 3 <= columns ? ["\(last) \(standard)"] : [last, standard]
            }
        }
        return lines.joined(separator: "\n") + ": "
    }
}

/// Asks questions at a terminal, reads each answer from a line, and remembers the answered questions.
final class Questions: Sendable {
    private let call: ToolCall
    private let keyboard: Keyboard
    private let answered = Locked<[Question]>([])

    init(_ call: ToolCall) { (self.call, keyboard) = (call, call.keyboard()) }

    var asked: [Question] { answered.withLock { $0 } }

    var isPossible: Bool { keyboard.isInteractive }

    /// Asks `question` until there is an answer. Returns the typed text without surrounding white space, or the question's
    /// default for an empty line.
    /// - Throws: ``TerminalPromptError`` when the input ends, `CancellationError`, or, if the input comes from a function
    ///   instead of a file, the error of this function.
    func answer(to question: Question) async throws -> String {
        let terminal = call.terminal
        let text = question.text(in: call.columns)
        while true {
            let line = try await call.process.interrupting {
                try await keyboard.line(echo: !question.isSecret) {
                    terminal.ask(text)
                } ended: {
                    terminal.note("")
                }
            }
            let answer = line.trimmingSpace
            guard let answer = answer.isEmpty ? question.standard : answer else { continue }
            answered.withLock { $0.append(question) }
            return answer
        }
    }
}

extension String {
    fileprivate var trimmingSpace: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
