import IdentityKit
import IdentityTerminal

struct Question: Sendable {
    /// The setting that the answer sets.
    let name: String
    /// The text of the question: a sentence that describes the setting.
    let meaning: String
    /// The answer that an empty line stands for; `nil` to ask again.
    var standard: String?
    var isSecret = false
    /// The question of a plug-in; `nil` for one of the tool.
    var setting: SettingQuestion?
}

extension Question {
    /// The question in lines of whole words, with the default answer at its end.
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

/// Asks questions at a terminal, one line each, and counts the answers.
final class Questions: Sendable {
    private let call: ToolCall
    private let keyboard: Keyboard
    private let answered = Locked<[Question]>([])

    init(_ call: ToolCall) { (self.call, keyboard) = (call, call.keyboard()) }

    var asked: [Question] { answered.withLock { $0 } }

    var isPossible: Bool { keyboard.isInteractive }

    /// The typed answer without surrounding white space.
    /// - Throws: ``TerminalPromptError``, or `CancellationError`.
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
    /// The text without the white space around it.
    fileprivate var trimmingSpace: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
