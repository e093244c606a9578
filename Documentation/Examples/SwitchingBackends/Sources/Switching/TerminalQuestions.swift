import Foundation
import IdentityKit

/// Asks at the terminal for what a backend without a page of its own wants to know.
struct TerminalQuestions: FlowPrompter {
    func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer {
        if let problem = prompt.problem { print(problem) }
        var values: [String: Secret] = [:]
        for field in prompt.fields {
            values[field.identifier] = try line("\(field.label): ", isSecret: field.kind.isSecret)
        }
        return PromptAnswer(values: values, action: prompt.actions.first?.identifier)
    }

    /// The person's answer, which the terminal does not show when it is secret.
    private func line(_ question: String, isSecret: Bool) throws -> Secret {
        var shown = termios()
        let isTerminal = tcgetattr(STDIN_FILENO, &shown) == 0
        if isTerminal, isSecret {
            var hidden = shown
            hidden.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &hidden)
        }
        defer { if isTerminal { tcsetattr(STDIN_FILENO, TCSANOW, &shown) } }
        print(question, terminator: "")
        fflush(nil)
        guard let line = readLine() else { throw CancellationError() }
        return Secret(line)
    }
}
