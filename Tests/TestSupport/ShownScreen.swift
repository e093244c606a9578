import IdentityKit
import Foundation

extension SignInScreen {
    /// The rows, a line each, and where the focus moves to. What was typed is not shown.
    package func text(_ texts: ScreenTexts, at now: Date) -> String {
        let lines = rows(texts, at: now).map(\.line) + (focus.map { ["> focus on \($0)"] } ?? [])
        return lines.joined(separator: "\n")
    }
}

extension SignInRow {
    /// The row as a line of text.
    package var line: String {
        switch self {
        case .title(let text): return "# \(text)"
        case .text(let text): return text
        case .problem(let text): return "! \(text)"
        case .picture(_, let description): return "picture \(description ?? "")"
        case .link(let text, _): return "link \(text)"
        case .copy(_, let label): return "copy \(label ?? "")"
        case .field(_, let label, let value, let problem):
            return "\(label):" + (value == nil ? "" : " [filled in]") + (problem.map { " ! \($0)" } ?? "")
        case .code(let code): return "code \(code.userCode)"
        case .progress(let text): return "... \(text)"
        case .button(let button):
            let label =
                switch button.rank {
                case .primary: "(\(button.label))"
                case .secondary: "second \(button.label)"
                case .quiet: "quiet \(button.label)"
                }
            return label + (button.host.map { " -> \($0)" } ?? "") + (button.isEnabled ? "" : ", rests")
        }
    }
}

extension SignInEngine {
    /// The screen as soon as `condition` holds.
    /// - Throws: `CancellationError` when the test's time is up.
    package nonisolated func shown(_ condition: (SignInScreen) -> Bool) async throws -> SignInScreen {
        for await screen in await screens() where condition(screen) { return screen }
        throw CancellationError()
    }
}
