import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import IdentityLocalServers
import Testing

/// Proving an address in the middle of a sign-in.
@Suite struct VerificationTests {
    private let email = "new@example.org"
    private let password = "horse-battery-9"

    private var credentials: PromptAnswer {
        PromptAnswer(values: ["email": Secret(email), "password": Secret(password)])
    }

    /// A server with an account that has not proven its address.
    private func unverified(
        _ adjust: (inout LocalInsForgeServer.Configuration) -> Void = { _ in }
    ) async throws -> InsForgeFixture {
        let fixture = try await InsForgeFixture {
            $0.requireEmailVerification = true
            adjust(&$0)
        }
        _ = try await fixture.provider().signUp(email: email, password: password)
        return fixture
    }

    @Test("A sign-in with an address that is not verified asks for the mailed code and continues")
    func code() async throws {
        let fixture = try await unverified()
        let code = Secret(fixture.mailedCode)
        let wrong: Secret = code.reveal() == "000000" ? "111111" : "000000"
        let prompter = ScriptedPrompter([
            credentials, PromptAnswer(values: [:]), PromptAnswer(values: ["code": "12"]),
            PromptAnswer(values: ["code": wrong]), PromptAnswer(values: ["code": Secret(" \(code.reveal()) ")]),
        ])
        let provider = try fixture.provider(prompter: prompter)
        let account = try #require(try await provider.activeAccount(scopes: [], deviceToken: "d"))
        #expect(!(try await provider.accessToken(for: account, scopes: [])).isEmpty)
        #expect(try await provider.sessions.storedCredential(of: account)?.profile?.email == email)
        let prompts = prompter.prompts.dropFirst()
        #expect(prompts.first?.message == "new@example.org is not verified yet. Enter the code from the mail.")
        #expect(prompts.first?.fields.map(\.kind) == [.oneTimeCode])
        #expect(prompts.first?.actions.map(\.label) == ["Continue", "Mail another code"])
        #expect(
            prompts.map(\.problem) == [
                nil, "Enter the code from the mail.", "otp: OTP code must be a 6-digit numeric code",
                "The code is wrong or too old. Enter the newest one, or ask for another.",
            ])
        await fixture.server.stop()
    }

    @Test("Another code can be asked for; one that cannot be mailed yet does not end the sign-in")
    func anotherCode() async throws {
        let fixture = try await unverified { $0.mailInterval = .seconds(60) }
        let another = PromptAnswer(values: [:], action: "another-code")
        let prompter = SteppingPrompter { step, prompt in
            switch step {
            case 0: return credentials
            case 1: return another
            case 2:
                #expect(prompt.problem == "Too many attempts. Try again in 60 s.")
                #expect(prompt.actions.last?.availableAfter == fixture.clock.now + 60)
                fixture.clock.advance(by: .seconds(61))
                return another
            default:
                #expect(prompt.problem == nil)
                #expect(prompt.message == "Another code was mailed to new@example.org. Only that one works now.")
                #expect(prompt.actions.last?.availableAfter == fixture.clock.now + 60)
                return PromptAnswer(values: ["code": Secret(fixture.mailedCode)])
            }
        }
        let provider = try fixture.provider(prompter: prompter)
        #expect(try await provider.activeAccount(scopes: [], deviceToken: "d") != nil)
        #expect(fixture.server.outbox.count == 2)
        await fixture.server.stop()
    }

    @Test("A project that mails links waits until the link was opened")
    func link() async throws {
        let fixture = try await unverified { $0.verifyEmailMethod = .link }
        let prompter = SteppingPrompter { step, prompt in
            switch step {
            case 0: return credentials
            case 1:
                #expect(prompt.fields.isEmpty)
                #expect(prompt.actions.map(\.label) == ["I have opened the link", "Mail another link"])
                return PromptAnswer(values: [:], action: "another-link")
            case 2: return PromptAnswer(values: [:], action: "go-on")
            default:
                #expect(prompt.problem == "new@example.org is still not verified. Open the link in the mail first.")
                _ = try await fixture.openMailedLink()
                return PromptAnswer(values: [:], action: "go-on")
            }
        }
        let provider = try fixture.provider(prompter: prompter)
        #expect(try await provider.activeAccount(scopes: [], deviceToken: "d") != nil)
        #expect(prompter.steps == 4 && fixture.server.outbox.count == 2)
        await fixture.server.stop()
    }

    @Test("A sign-up asks for the code, too, and signs in")
    func signUp() async throws {
        let fixture = try await InsForgeFixture { $0.requireEmailVerification = true }
        let prompter = SteppingPrompter { _, _ in PromptAnswer(values: ["code": Secret(fixture.mailedCode)]) }
        let provider = try fixture.provider(prompter: prompter)
        let response = try await provider.signUp(email: email, password: password, name: "New")
        #expect(response.hasSession && !response.needsEmailVerification && response.user?.name == "New")
        #expect(
            try await provider.silentAccount(scopes: [], deviceToken: "d").account?.account == response.user?.id)
        await fixture.server.stop()
    }

    @Test("A person who does not enter the code has an account all the same, and no session")
    func signUpWithoutCode() async throws {
        let fixture = try await InsForgeFixture { $0.requireEmailVerification = true }
        let provider = try fixture.provider(prompter: ScriptedPrompter([PromptAnswer]()))
        let response = try await provider.signUp(email: email, password: password)
        #expect(response.needsEmailVerification && !response.hasSession)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        let account = try await provider.verifyEmail(email: email, code: fixture.mailedCode)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == account)
        await fixture.server.stop()
    }

    @Test("A person is not asked for a code while the server does not tell whether it mails codes or links")
    func unknownMethod() async throws {
        let fixture = try await InsForgeFixture {
            $0.requireEmailVerification = true
            $0.verifyEmailMethod = .link
        }
        let prompter = ScriptedPrompter([credentials])
        let provider = try fixture.provider(prompter: prompter)
        let failure = LocalResponse(status: 503)
        fixture.server.http.fail(.answer(failure), pathPrefix: "/api/auth/public-config", times: 2)
        // The account exists, so the sign-up has not failed.
        let response = try await provider.signUp(email: email, password: password)
        #expect(response.needsEmailVerification && !response.hasSession && prompter.prompts.isEmpty)
        await #expect(throws: InsForgeAuthError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(prompter.prompts.count == 1)
        await fixture.server.stop()
    }

    @Test("A sign-up whose mail could not be sent offers another one")
    func signUpWithoutMail() async throws {
        let fixture = try await InsForgeFixture {
            $0.requireEmailVerification = true
            $0.mailDelivery = .failing
        }
        await #expect(throws: InsForgeAuthError.verificationMailFailed) {
            try await fixture.provider().signUp(email: "first@example.org", password: password)
        }
        let prompter = SteppingPrompter { step, prompt in
            guard step == 0 else { return PromptAnswer(values: ["code": Secret(fixture.mailedCode)]) }
            #expect(prompt.problem?.contains("could not be sent") == true)
            fixture.server.reconfigure { $0.mailDelivery = .working }
            return PromptAnswer(values: [:], action: "another-code")
        }
        let response = try await fixture.provider(prompter: prompter).signUp(email: email, password: password)
        #expect(response.hasSession)
        await fixture.server.stop()
    }

    @Test("A mailed code signs in where the settings say so; the address is asked for again when it is none")
    func mailedCode() async throws {
        let fixture = try await InsForgeFixture()
        let address = fixture.server.user.email
        let prompter = SteppingPrompter { step, prompt in
            switch step {
            case 0:
                #expect(prompt.fields.map(\.kind) == [.email])
                return PromptAnswer(values: ["email": "nonsense"])
            case 1:
                #expect(prompt.problem == "email: Invalid email format")
                return PromptAnswer(values: ["email": Secret(address)])
            default:
                #expect(prompt.message == "Enter the code that was mailed to \(address).")
                return PromptAnswer(values: ["code": Secret(fixture.mailedCode)])
            }
        }
        let provider = try fixture.provider(method: .mailedCode, prompter: prompter)
        #expect(try await provider.activeAccount(scopes: [], deviceToken: "d") == fixture.account)
        // A moment later the server mails no other code, and the last one is spent: the person learns how long to wait.
        try await provider.signOut(fixture.account)
        let impatient = ScriptedPrompter([PromptAnswer(values: ["email": Secret(address)])])
        await #expect(throws: CancellationError.self) {
            try await fixture.provider(method: .mailedCode, prompter: impatient).signIn(scopes: [], deviceToken: "d")
        }
        #expect(impatient.prompts.last?.problem == "Too many attempts. Try again in 60 s.")
        #expect(try await fixture.provider(method: .mailedCode).activeAccount(scopes: [], deviceToken: "d") == nil)
        await fixture.server.stop()
    }
}

/// Answers each prompt by its number, which starts at 0.
private final class SteppingPrompter: FlowPrompter {
    private let count = Locked(0)
    private let answering: @Sendable (Int, SignInPrompt) async throws -> PromptAnswer

    init(_ answering: @escaping @Sendable (Int, SignInPrompt) async throws -> PromptAnswer) {
        self.answering = answering
    }

    /// The number of prompts so far.
    var steps: Int { count.withLock { $0 } }

    func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer {
        let step = count.withLock { count in
            defer { count += 1 }
            return count
        }
        return try await answering(step, prompt)
    }
}
