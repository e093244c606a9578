extension String {
    /// Converts a text from a server or a callback to one line without tokens, which a message can contain. A line of
    /// more than 200 Unicode scalars is cut off and ends with `…`.
    /// - Parameter fallback: the text to return when the line is empty.
    package func asServerText(or fallback: String) -> String {
        let line = split { $0.isNewline || $0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
            .joined(separator: " ")
            .withoutTokens
        guard !line.isEmpty else { return fallback }
        // Limit scalars, because a single character can have any length.
        let scalars = line.unicodeScalars
        return scalars.count > 200 ? String(scalars.prefix(200)) + "…" : line
    }

    /// The text without anything that looks like a secret. Each run of 40 or more characters that could be a token, an
    /// authorization code or a code verifier becomes `...`.
    package var withoutTokens: String {
        let bytes = Array(ScrubbedText.scrub(self).utf8)
        var (kept, position) = ([UInt8](), 0)
        while position < bytes.count {
            let word = bytes[position...].prefix(while: Self.isPartOfToken)
            if word.count < 40 { kept += word } else { kept += "...".utf8 }
            if word.endIndex < bytes.count { kept.append(bytes[word.endIndex]) }
            position = word.endIndex + 1
        }
        return String(decoding: kept, as: UTF8.self)
    }

    private static func isPartOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
