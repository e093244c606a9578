import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import Testing

@Suite struct PasswordSignInTests {
    @Test("The right password signs in, after a wrong one was refused in plain words")
    func wrongThenRight() async throws {
        let fixture = try await InsForgeFixture()
        let prompter = ScriptedPrompter(
            ["email": Secret(fixture.server.user.email), "password": "wrong"], fixture.credentials)
        let provider = try fixture.provider(prompter: prompter)
        #expect(try await provider.activeAccount(scopes: [], deviceToken: "d") == fixture.account)
        #expect(
            prompter.prompts.map(\.problem) == [nil, "The e-mail address or the password is wrong. Try again."])
        #expect(prompter.prompts.first?.fields.map(\.kind) == [.email, .password])
        await fixture.server.stop()
    }

    @Test("An empty or malformed input is asked for again")
    func badInput() async throws {
        let fixture = try await InsForgeFixture()
        let prompter = ScriptedPrompter([:], ["email": "nope", "password": "x"], fixture.credentials)
        _ = try await fixture.provider(prompter: prompter).signIn(scopes: [], deviceToken: "d")
        #expect(
            prompter.prompts.map(\.problem) == [
                nil, "Enter the e-mail address and the password.", "email: Invalid email format",
            ])
        await fixture.server.stop()
    }

    @Test("A refusal that is not the server's is not taken for a wrong password")
    func refusalInBetween() async throws {
        let fixture = try await InsForgeFixture()
        for (status, code) in [(401, "unreadable_answer"), (404, "not_configured"), (503, "server_error")] {
            fixture.server.http.fail(.answer(.text("<html>", status: status)), pathPrefix: "/api/auth/sessions")
            let error = await #expect(throws: InsForgeAuthError.self) {
                try await fixture.provider(prompter: ScriptedPrompter(fixture.credentials))
                    .signIn(scopes: [], deviceToken: "d")
            }
            #expect(error?.failureCode == code)
        }
        await fixture.server.stop()
    }

    @Test("An unverified address is its own error")
    func unverified() async throws {
        let fixture = try await InsForgeFixture {
            $0.requireEmailVerification = true
            $0.user.emailVerified = false
        }
        await #expect(throws: InsForgeAuthError.emailNotVerified) {
            try await fixture.provider().signIn(
                email: fixture.server.user.email, password: fixture.server.user.password)
        }
        await fixture.server.stop()
    }
}
