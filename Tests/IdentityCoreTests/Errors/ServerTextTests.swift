import IdentityCore
import Testing

/// What a server wrote is shown to people only after this.
@Suite struct ServerTextTests {
    @Test("Lines and control characters become spaces, so that a text cannot play with a terminal")
    func oneLine() {
        #expect("one\ntwo\u{1B}[2Jthree\u{7}".asServerText(or: "-") == "one two [2Jthree")
    }

    @Test("A text is cut to a bearable length, and an empty one is replaced")
    func length() {
        let long = String(repeating: "word ", count: 100)
        #expect(long.asServerText(or: "-").count == 201)
        #expect("\u{0}\n".asServerText(or: "nothing") == "nothing")
    }

    @Test("What could be a token is left out, under a name and without one")
    func tokens() {
        #expect(!"refresh_token=abc123".asServerText(or: "-").contains("abc123"))
        let bare = String(repeating: "a1B_", count: 10)
        #expect(!"refused: \(bare)".asServerText(or: "-").contains(bare))
        #expect("ü \(bare)! \(bare.dropLast()) x".asServerText(or: "-") == "ü ...! \(bare.dropLast()) x")
        #expect("é \(bare)".asServerText(or: "-") == "é ...")
    }

    @Test("The word after the name of a scheme is left out, unless it is one of a sentence")
    func schemes() {
        for secret in ["Bearer abc123", "DPoP abc123", "Basic YWRhOng="] {
            #expect("sent \(secret) to it".asServerText(or: "-").hasSuffix("<redacted> to it"))
        }
        for sentence in [
            "A DPoP proof is required.", "The DPoP proof's key", "Bearer token, please", "the DPoP scheme.",
        ] {
            let text = sentence.replacingOccurrences(of: "'s", with: "")
            #expect(text.asServerText(or: "-") == text)
        }
    }

    @Test(
        "A text of a million characters, or one character of as many, costs one look at each",
        arguments: [
            String(repeating: "a", count: 1_000_000),
            String(repeating: String(repeating: "a", count: 39) + " ", count: 25_000),
            String(repeating: " ", count: 1_000_000), "e" + String(repeating: "\u{301}", count: 1_000_000),
            String(repeating: "://?", count: 250_000), String(repeating: "token=", count: 160_000),
        ])
    func linear(text: String) {
        #expect(text.asServerText(or: "-").unicodeScalars.count <= 201)
    }
}
