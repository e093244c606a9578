/// Where a document stops to be in its form, in words.
enum SyntaxMistake {
    /// Line, column and what stands there.
    /// - Parameter offset: the place of the mistake in `bytes`; their end where something is missing.
    static func detail(at offset: Int, in bytes: [UInt8]) -> String {
        let before = bytes[..<offset]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = String(decoding: bytes[start..<offset], as: UTF8.self).count + 1
        let mistake =
            if offset == bytes.count {
                "the document ends too early"
            } else if let found = character(at: offset, in: bytes) {
                "\"\(found)\" is not expected here"
            } else { "this character is not expected here" }
        return "line \(line), column \(column): \(mistake)"
    }

    /// The character, where it is one that can be shown.
    private static func character(at offset: Int, in bytes: [UInt8]) -> String? {
        let character = String(decoding: bytes[offset...].prefix(4), as: UTF8.self).first
        return character.flatMap {
            $0.isLetter || $0.isNumber || $0.isPunctuation || $0.isSymbol ? String($0) : nil
        }
    }
}
