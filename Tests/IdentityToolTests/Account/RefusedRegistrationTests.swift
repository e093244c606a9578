import TestSupport
import Testing

/// A new person's details that the server refuses, as a person at a terminal learns of it.
@Suite(.endsInTime) struct RefusedRegistrationTests {
    @Test(
        "The detail to correct is named, and nothing is tried again",
        arguments: [
            ("ada@example.org", "Another user has this already: "),
            ("no-address", "The server does not accept this: "),
        ])
    func refused(address: String, message: String) async throws {
        try await withTool { fixture in
            let result = try await fixture.run(
                "login", "--provider", "work", typing: ["3", "grace", "Navy-1", address])
            #expect(result.status != 0 && result.output.isEmpty)
            let shown = result.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(shown.contains(message) && shown.contains("mail. Correct it"), "\(shown)")
        }
    }
}
