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
