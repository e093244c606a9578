import Foundation
import IdentityKit
import InsForge
import Testing

/// What may come back to an app's address, and what is made of it. One table for everything that is understood, one for
/// everything that is refused.
@Suite struct InsForgeCallbackTests {
    private static let redirectURI = "example://auth/callback"
    private static let hex = String(repeating: "0a", count: 32)

    private func parse(
        _ text: String, redirectURI: String = redirectURI, allowsTokens: Bool = false
    ) throws -> InsForgeCallback {
        try InsForgeCallback(
            try #require(URL(string: text)), redirectURI: try #require(URL(string: redirectURI)),
            allowsTokens: allowsTokens)
    }

    @Test(
        "Each result is understood, whatever else the query carries",
        arguments: [
            ("insforge_code=abc", .code("abc")),
            ("x=1&insforge_code=abc&y=#f", .code("abc")),
            ("insforge_code=a%2Bb+c", .code("a+b c")),
            ("insforge_code=abc&error=", .code("abc")),
            ("error=No+authorization+code+or+token+provided", .failure("No authorization code or token provided")),
            ("error=User+signups+are+disabled%21", .failure("User signups are disabled!")),
            ("error=%2B1", .failure("+1")),
            ("error=one%0Atwo%1B%5B", .failure("one two [")),
            ("error=\(hex)", .failure("...")),
            ("error=%0A", .failure("no reason was given")),
            ("insforge_status=success&insforge_type=verify_email", .emailVerified),
            (
                "insforge_status=error&insforge_type=verify_email&insforge_error=Invalid+or+expired",
                .emailNotVerified("Invalid or expired")
            ),
            ("insforge_status=error&insforge_type=verify_email", .emailNotVerified("no reason was given")),
            (
                "token=\(hex)&insforge_status=ready&insforge_type=reset_password",
                .passwordReset(Secret(hex))
            ),
            (
                "token=\(hex.uppercased())&insforge_status=ready&insforge_type=reset_password",
                .passwordReset(Secret(hex.uppercased()))
            ),
            (
                "insforge_status=error&insforge_type=reset_password&insforge_error=Too+old",
                .passwordResetFailed("Too old")
            ),
        ] as [(String, InsForgeCallback)])
    func understood(query: String, result: InsForgeCallback) throws {
        #expect(try parse(Self.redirectURI + "?" + query) == result)
    }

    @Test(
        "The address is compared as addresses are: scheme and host in any case, its own query among the parameters",
        arguments: [
            ("EXAMPLE://AUTH/callback?insforge_code=abc", "example://auth/callback"),
            ("https://a.example/cb?x=1&insforge_code=abc#f", "https://a.example/cb?x=1"),
            ("https://a.example/cb?insforge_code=abc&x=1", "https://a.example/cb?x=1"),
            ("https://a.example:443/cb?insforge_code=abc", "https://a.example/cb"),
            ("https://a.example/?insforge_code=abc", "https://a.example"),
            ("https://a.example/%7Ecb?insforge_code=abc", "https://a.example/~cb"),
            ("com.example.app:/oauth2redirect?insforge_code=abc", "com.example.app:/oauth2redirect"),
            ("http://127.0.0.1:9999/cb?insforge_code=abc", "http://127.0.0.1:9999/cb"),
        ])
    func addresses(text: String, redirectURI: String) throws {
        #expect(try parse(text, redirectURI: redirectURI) == .code("abc"))
    }

    @Test(
        "Everything else is refused, and nothing of it repeated",
        arguments: [
            // No result, or a result that is none.
            "example://auth/callback", "example://auth/callback?", "example://auth/callback?code=abc",
            "example://auth/callback?insforge_code=", "example://auth/callback#insforge_code=abc",
            "example://auth/callback?INSFORGE_CODE=abc", "example://auth/callback?insforge_code",
            // Two results.
            "example://auth/callback?insforge_code=abc&insforge_code=def",
            "example://auth/callback?insforge_code=abc&error=def",
            "example://auth/callback?insforge_code=abc&insforge_status=success&insforge_type=verify_email",
            "example://auth/callback?error=abc&insforge_status=success&insforge_type=verify_email",
            "example://auth/callback?error=abc&error=abc",
            // Half a result of a mailed link.
            "example://auth/callback?insforge_status=success", "example://auth/callback?insforge_type=verify_email",
            "example://auth/callback?insforge_status=ready&insforge_type=verify_email",
            "example://auth/callback?insforge_status=success&insforge_type=reset_password",
            "example://auth/callback?insforge_status=success&insforge_type=other",
            "example://auth/callback?insforge_status=ready&insforge_type=reset_password",
            "example://auth/callback?insforge_status=ready&insforge_type=reset_password&token=short",
            "example://auth/callback?insforge_status=ready&insforge_type=reset_password&token="
                + String(repeating: "zz", count: 32),
            // A token that anybody could have put there.
            "example://auth/callback?access_token=t&user_id=u&email=e",
            "example://auth/callback?insforge_code=abc&access_token=t",
            // Another address.
            "example://auth/other?insforge_code=abc", "example://auth/callback/more?insforge_code=abc",
            "example://auth/callback/?insforge_code=abc", "example://auth/CALLBACK?insforge_code=abc",
            "example://evil/callback?insforge_code=abc", "other://auth/callback?insforge_code=abc",
            "example://auth:1/callback?insforge_code=abc", "example:/auth/callback?insforge_code=abc",
            // A name that is not the host, and what no decoder agrees on.
            "example://user@auth/callback?insforge_code=abc", "example://auth@evil/callback?insforge_code=abc",
            "example://auth/callback?insforge_code=%ff",
        ])
    func refused(text: String) {
        let error = #expect(throws: InsForgeAuthError.self) { try parse(text) }
        #expect(error?.failureCode == "invalid_callback")
        #expect(error?.message.contains("abc") == false)
    }

    @Test("A missing part of the redirect's own query is another address")
    func missingState() {
        for query in ["insforge_code=abc", "insforge_code=abc&state=", "insforge_code=abc&state=two"] {
            #expect(throws: InsForgeAuthError.invalidCallback("it is not the address that was asked for.")) {
                try parse("example://cb?\(query)", redirectURI: "example://cb?state=one")
            }
        }
    }

    @Test("A token is understood only where it is allowed, alone, and without what stands beside it")
    func tokens() throws {
        let query = "access_token=a.b.c&user_id=u&email=e%40example.test&name=Mira+K.&csrf_token=c&refresh_token=r"
        #expect(try parse(Self.redirectURI + "?" + query, allowsTokens: true) == .legacyToken("a.b.c"))
        for other in ["insforge_code=abc", "error=no", "insforge_status=success&insforge_type=verify_email"] {
            #expect(throws: InsForgeAuthError.invalidCallback("it carries no result, or two.")) {
                try parse(Self.redirectURI + "?\(query)&\(other)", allowsTokens: true)
            }
        }
        #expect(throws: InsForgeAuthError.self) {
            try parse("example://evil?" + query, allowsTokens: true)
        }
    }

    @Test("Printing a result shows neither code nor token")
    func secrecy() throws {
        let code = try parse(Self.redirectURI + "?insforge_code=" + Self.hex)
        let token = try parse(
            Self.redirectURI + "?insforge_status=ready&insforge_type=reset_password&token=" + Self.hex)
        for result in [code, token] {
            var dumped = ""
            dump(result, to: &dumped)
            #expect(!"\(result)\(String(reflecting: result))\(dumped)".contains(Self.hex))
        }
    }
}
