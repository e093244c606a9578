import IdentityKit
import IdentityOAuth
import Testing

@Suite("What a server says about its refusal (RFC 6749 section 5.2)")
struct ErrorResponseTests {
    private func message(_ description: String?) -> String {
        OAuthError.refused(ErrorResponse(error: .invalidScope, errorDescription: description, status: 400)).message
    }

    @Test("is quoted after what it means")
    func quoted() {
        #expect(
            message("The scope mail is not known")
                == "The server does not grant the scopes asked for. Check the configured scopes. "
                + "The server says: \"The scope mail is not known\".")
    }

    @Test("is left out where there is nothing to say", arguments: [nil, "", "\n"])
    func absent(description: String?) {
        #expect(message(description).hasSuffix("Check the configured scopes."))
    }

    @Test("is one line of bearable length, without anything that could be a token")
    func scrubbed() {
        let token = String(repeating: "Ab9-", count: 12)
        let text = message("No\r\nscope \u{1B}[31m for \(token). \(String(repeating: "word ", count: 100))")
        #expect(!text.contains(token))
        #expect(!text.contains { $0.isNewline || $0 == "\u{1B}" })
        #expect(text.count < 400)
    }
}
