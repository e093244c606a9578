import IdentityCore
import Testing

@Suite struct StringBytesTests {
    /// Two spellings of one text, which `==` takes for the same.
    private static let spellings = [("caf\u{E9}", "cafe\u{301}"), ("K", "\u{212A}")]

    @Test("Spellings of one text are not the same bytes", arguments: spellings)
    func differ(one: String, other: String) {
        #expect(one == other)
        #expect(one.hasBytes(of: one))
        #expect(one.hasBytes(of: other) == false)
        #expect([one].containsBytes(of: one))
        #expect([one].containsBytes(of: other) == false)
        let known: String? = one
        #expect(known.hasBytes(of: one))
        #expect(known.hasBytes(of: other) == false)
    }

    @Test("What is missing is the same as what is missing alone")
    func missing() {
        let missing: String? = nil
        #expect(missing.hasBytes(of: missing))
        #expect(missing.hasBytes(of: "") == false)
        #expect("".hasBytes(of: missing) == false)
    }

    @Test("Secrets are compared as a server compares them", arguments: spellings)
    func secrets(one: String, other: String) {
        #expect(Secret(one) == Secret(one) && Secret(one) != Secret(other))
        #expect(Set([Secret(one), Secret(one), Secret(other)]).count == 2)
    }
}
