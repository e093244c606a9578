import Foundation
import IdentityKit
import Testing

@testable import ThunderID

/// The expressions of rules, which a server chooses.
@Suite struct FlowPatternTests {
    @Test(
        "An expression says what RE2 says",
        arguments: [
            ("^[a-z]+$", "abc", true), ("^[a-z]+$", "aBc", false), ("[a-z]", "ABc", true), ("", "", true),
            ("a", "", false),
            ("^.{8,64}$", "1234567", false), ("^.{8,64}$", "12345678", true), ("^a{2}$", "aaa", false),
            ("^a{2,}$", "aaa", true), ("^(ab|cd)*$", "abcdab", true), ("^(ab|cd)*$", "abc", false),
            ("^(?:a|b|c)?d$", "cd", true), ("^\\d{3}-\\d{4}$", "555-1234", true),
            ("^\\+?[0-9]{6,15}$", "+4912345678", true),
            ("^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", "ada@example.org", true),
            ("^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", "ada@x", false),
            ("^[\\w.+-]+$", "a.b+c-d_e", true), ("^[]a]+$", "]a]", true), ("^[a\\]]+$", "a]", true),
            ("[a-]", "-", true),
            ("^\\S*$", "a b", false), ("^.$", "\n", false), ("^.$", "ü", true), ("a|^$", "", true),
            ("^(a*)*$", "aaab", false),
            ("^(a|a)*b$", "aab", true), ("x*", "y", true), ("^a.c$", "abc", true), ("a$b", "ab", false),
            ("^a+?$", "aa", true),
            ("[A-Z]", "abc", false), ("^[\\d-]+$", "12-3", true), ("^a\\.b$", "axb", false),
            ("^[^\\n]+$", "a\nb", false),
        ])
    func matches(pattern: String, text: String, expected: Bool) throws {
        #expect(try #require(FlowPattern(pattern)).occurs(in: text) == expected)
        // Swift's own reader agrees, where it reads the same expressions.
        guard let regex = try? Regex(pattern).matchingSemantics(.unicodeScalar) else { return }
        #expect((text.firstMatch(of: regex) != nil) == expected)
    }

    @Test(
        "What is not understood is left to the server",
        arguments: [
            "(", ")", "a**", "a{2}{3}", "*", "[a", "[z-a]", "\\", "(?=a)", "(?i)a", "\\1", "\\pL", "[[:alpha:]]",
            "a{3,2}",
            "a{1001}", "(?<n>a)", "a{", String(repeating: "(", count: 40) + String(repeating: ")", count: 40),
            "((((a{100}){100}){100}){100})", "((((a{0}){1000}){1000}){1000}){1000}",
            String(repeating: "a", count: 3000),
        ])
    func unknown(pattern: String) {
        #expect(FlowPattern(pattern) == nil)
        let rule = FlowValidationRule(type: "regex", value: AnyCodable(pattern), message: "no")
        #expect(rule.problem(with: "text") == nil)
    }

    @Test(
        "No expression takes more than its length for each character of a text",
        arguments: [
            "^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(a*)*b$", "(.*)(.*)(.*)(.*)(.*)=", "^(([a-z])+.)+[A-Z]([a-z])+$",
        ])
    func linear(pattern: String) throws {
        // Readers that go back try 2 to the power of 4000 ways for some of these.
        let text = String(repeating: "a", count: 3999) + "!"
        #expect(try #require(FlowPattern(pattern)).occurs(in: text) == false)
        #expect(FlowPattern(pattern)?.occurs(in: text + "!!") == nil)
    }
}
