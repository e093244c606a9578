import Foundation
import IdentityKit
import Testing

@testable import IdentityTerminal

/// Answers that are given and no person, as in a script: the tests' own standard input is no terminal.
@Suite struct TerminalPrompterTests {
    private let password = SignInPrompt.Field(identifier: "secret", label: "Password", kind: .password)
    private let name = SignInPrompt.Field(identifier: "name", label: "Username", kind: .username)

    @Test("Answers that are given are not asked for")
    func given() async throws {
        let prompter = TerminalPrompter(given: [.username: Secret("ada"), .password: Secret("pass")])
        let answer = try await prompter.answer(SignInPrompt(provider: "work", fields: [name, password]))
        #expect(answer.values.mapValues { $0.reveal() } == ["name": "ada", "secret": "pass"])
    }

    @Test("A given answer that was refused ends the sign-in with the server's words")
    func refused() async throws {
        let prompter = TerminalPrompter(given: [.password: Secret("pass")])
        let prompt = SignInPrompt(provider: "work", problem: "Wrong password.", fields: [password])
        await #expect(throws: TerminalPromptError.refused("Wrong password.")) { try await prompter.answer(prompt) }
    }

    @Test(
        "A choice is its number; a person may be called the same, and a password is never a choice",
        arguments: [
            ("2\n", "lost", [:]), ("1\n2\npass\n", "go", ["name": "2", "secret": "pass"]),
            ("ada\n2\n", "go", ["name": "ada", "secret": "2"]),
        ] as [(String, String, [String: String])])
    func choices(typed: String, action: String, values: [String: String]) async throws {
        let answer = try await answer(to: prompt([name, password]), typing: typed)
        #expect(answer.action == action && answer.values.mapValues { $0.reveal() } == values)
    }

    @Test(
        "A step with a password alone asks for it at once, and for another way after an empty line",
        arguments: [
            ("2\n", "go", ["secret": "2"]), ("\n2\n", "lost", [:]), ("\n\n2\n", "go", ["secret": "2"]),
        ] as [(String, String, [String: String])])
    func passwordAlone(typed: String, action: String, values: [String: String]) async throws {
        let answer = try await answer(to: prompt([password]), typing: typed)
        #expect(answer.action == action && answer.values.mapValues { $0.reveal() } == values)
    }

    @Test("A consent asks for the way first: an empty answer leaves a purpose out")
    func consent() async throws {
        let purpose = SignInPrompt.Field(identifier: "mail", label: "Mail", kind: .boolean, isRequired: false)
        let agreed = try await answer(to: prompt([purpose]), typing: "\n\n")
        #expect(agreed.action == "go" && agreed.values == ["mail": ""])
        #expect(try await answer(to: prompt([purpose]), typing: "2\n").action == "lost")
    }

    private func prompt(_ fields: [SignInPrompt.Field]) -> SignInPrompt {
        SignInPrompt(
            provider: "work", fields: fields,
            actions: [.init(identifier: "go", label: "Go"), .init(identifier: "lost", label: "Lost")])
    }

    /// The answer of a person at a terminal who types these lines.
    private func answer(to prompt: SignInPrompt, typing lines: String) async throws -> PromptAnswer {
        let rest = Locked(Data(lines.utf8))
        let output = TerminalOutput(isTerminal: true, columns: 80) { _ in }
        let prompter = TerminalPrompter(
            terminal: Terminal(output: output, errors: output, environment: [:]),
            keyboard: Keyboard(
                TerminalInput(isTerminal: true) {
                    rest.withLock { rest in
                        defer { rest = Data() }
                        return rest
                    }
                }, guarding: .nothing),
            given: [:])
        return try await prompter.answer(prompt)
    }

    @Test("Errors have codes, and the time that is left is in minutes")
    func parts() {
        #expect(TerminalPromptError.refused("Wrong.").failureCode == "sign_in_refused")
        #expect(TerminalPromptError.inputEnded.failureCode == "input_ended")
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(Countdown.minutes(until: now + 299, from: now) == "4:59")
        #expect(Countdown.minutes(until: now + 0.5, from: now) == "0:01")
        #expect(Countdown.minutes(until: now - 1, from: now) == nil)
    }

    @Test("A prompter shows no answer in a dump")
    func secrecy() {
        var text = ""
        dump(TerminalPrompter(given: [.password: Secret("planted")]), to: &text)
        #expect(!text.contains("planted"))
    }
}
