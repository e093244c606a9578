import Foundation
import IdentityKit
import InsForge
import Testing

@Suite struct InsForgeCallbackTests {
    private let redirectURI = "example://auth/callback"

    private func parse(_ text: String, redirectURI: String? = nil) throws -> InsForgeCallback {
        try InsForgeCallback(
            try #require(URL(string: text)), redirectURI: try #require(URL(string: redirectURI ?? self.redirectURI)))
    }

    @Test("A code is read, whatever else the address carries")
    func codes() throws {
        #expect(try parse("example://auth/callback?insforge_code=abc") == .code("abc"))
        #expect(try parse("EXAMPLE://AUTH/callback?x=1&insforge_code=abc&y=#f") == .code("abc"))
        #expect(
            try parse("https://a.example/cb?x=1&insforge_code=abc#f", redirectURI: "https://a.example/cb?x=1")
                == .code("abc"))
    }

    @Test("An error is form-decoded: a plus is a space")
    func errors() throws {
        #expect(
            try parse("example://auth/callback?error=User+signups+are+disabled%21")
                == .failure("User signups are disabled!"))
    }

    @Test(
        "Everything else is refused",
        arguments: [
            "example://auth/callback", "example://auth/callback?insforge_code=", "example://auth/callback?code=abc",
            "example://auth/callback?insforge_code=a&insforge_code=b",
            "example://auth/callback?insforge_code=a&error=b", "example://auth/callback#insforge_code=a",
            "example://auth/callback?access_token=t&user_id=u&email=e",
            "example://auth/callback?insforge_code=a&access_token=t",
            "example://auth/other?insforge_code=a", "example://evil/callback?insforge_code=a",
            "other://auth/callback?insforge_code=a", "example://user@auth/callback?insforge_code=a",
            "example://auth:1/callback?insforge_code=a",
        ])
    func refused(text: String) {
        let error = #expect(throws: InsForgeAuthError.self) { try parse(text) }
        #expect(error?.failureCode == "invalid_callback")
        #expect(error?.message.contains("insforge_code=") == false)
    }
}
