import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

// A tool that waits for ever must not keep the other tests waiting.
@Suite(.endsInTime) struct RecoveryTests {
    @Test(
        "A forgotten password is changed with the link or the code from the mail, which ends well",
        arguments: [true, false])
    func recovers(pastesLink: Bool) async throws {
        try await withTool { fixture in
            let (run, terminal) = try fixture.start("login", "--provider", "work")
            await terminal.waits(for: "  2  ")
            await terminal.answers(": ", with: "2")
            await terminal.answers("Username: ", with: fixture.thunderID.user.username)
            await terminal.waits(for: "The link or code from the mail: ")
            let message = try #require(fixture.thunderID.messages.last)
            let link = try #require(message.link?.absoluteString)
            terminal.type(pastesLink ? link : message.secret.reveal())
            await terminal.answers("New password: ", with: "A-new-one-2")
            await terminal.waits(for: "The password is changed. Sign in.")
            let result = await run.finish()
            #expect(result.status == 0, "\(terminal.text)")
            #expect(result.output.isEmpty)
            #expect(terminal.text.hasSuffix("The password is changed. Sign in.\r\n"), "\(terminal.text)")
            #expect(!terminal.text.lowercased().contains("invitetoken:"))
            let login = try await fixture.run(
                "login", "--provider", "work", "--username", fixture.thunderID.user.username, "--password-stdin",
                input: "A-new-one-2\n")
            #expect(login.status == 0)
        }
    }
}
