import IdentityKit
import IdentityTerminal

struct Question: Sendable {
    let name: String
    /// What it is, shown before the question.
    let meaning: String
    /// What an empty answer stands for; `nil` asks again.
    var standard: String?
    var isSecret = false
}

/// Asks questions at a terminal, a line each, and knows which were answered.
final class Questions: Sendable {
    private let call: ToolCall
    private let keyboard: Keyboard
    private let answered = Locked<[Question]>([])

    init(_ call: ToolCall) { (self.call, keyboard) = (call, call.keyboard()) }

    var asked: [Question] { answered.withLock { $0 } }

    var isPossible: Bool { keyboard.isInteractive }

    /// The answer, without the white space around it.
    /// - Throws: ``TerminalPromptError``, or `CancellationError`.
    func answer(to question: Question) async throws -> String {
        let terminal = call.terminal
        if !question.meaning.isEmpty { terminal.note(terminal.noteStyled(question.meaning, .faint)) }
        while true {
            let line = try await call.process.interrupting {
                try await keyboard.line(echo: !question.isSecret) {
                    terminal.ask("\(question.name)\(question.standard.map { " [\($0)]" } ?? ""): ")
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
