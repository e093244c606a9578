import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import Testing

@Suite struct SignUpTests {
    @Test("A sign-up signs in at once where no verification is asked for")
    func signsIn() async throws {
        let fixture = try await InsForgeFixture()
        let provider = try fixture.provider()
        let response = try await provider.signUp(email: "new@example.org", password: "horse-battery-9", name: "New")
        #expect(response.hasSession)
        #expect(!response.needsEmailVerification)
        #expect(response.user?.profile?.name == "New")
        let lookup = try await provider.silentAccount(scopes: [], deviceToken: "d")
        #expect(lookup.account?.account == response.user?.id)
        await fixture.server.stop()
    }

    @Test("A sign-up that needs verification opens no session")
    func needsVerification() async throws {
        let fixture = try await InsForgeFixture { $0.requireEmailVerification = true }
        let provider = try fixture.provider()
        let response = try await provider.signUp(email: "new@example.org", password: "horse-battery-9")
        #expect(response.needsEmailVerification)
        #expect(!response.hasSession)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        await fixture.server.stop()
    }

    @Test("Each refusal is its own error")
    func refusals() async throws {
        let fixture = try await InsForgeFixture()
        let provider = try fixture.provider()
        await #expect(throws: InsForgeAuthError.userAlreadyExists) {
            try await provider.signUp(email: fixture.server.user.email, password: "horse-battery-9")
        }
        await #expect(throws: InsForgeAuthError.weakPassword("Password must contain at least 6 characters long")) {
            try await provider.signUp(email: "new@example.org", password: "x")
        }
        await #expect(throws: InsForgeAuthError.invalidKey) {
            try await fixture.provider(anonKey: "anon_wrong").signUp(email: "new@example.org", password: "horse-9")
        }
        fixture.server.reconfigure { $0.disableSignup = true }
        await #expect(throws: InsForgeAuthError.signupDisabled) {
            try await provider.signUp(email: "new@example.org", password: "horse-battery-9")
        }
        await fixture.server.stop()
    }

    @Test("Printing a response shows no token")
    func redaction() async throws {
        let fixture = try await InsForgeFixture()
        let response = try await fixture.provider().signUp(email: "new@example.org", password: "horse-battery-9")
        let token = try #require(response.accessToken)
        var dumped = ""
        dump(response, to: &dumped)
        for text in ["\(response)", String(reflecting: [response]), dumped] { #expect(!text.contains(token)) }
        await fixture.server.stop()
    }
}
