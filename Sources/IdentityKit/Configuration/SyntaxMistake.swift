import Foundation

/// Describes in words where and how a document violates the grammar of JSON.
enum SyntaxMistake {
    /// Returns the line, the column and a description of the mistake. For a blank document, the text only says that
    /// the file is empty.
    /// - Parameter offset: the offset of the mistake in `bytes`; `bytes.count` when the document ends too early.
    static func detail(at offset: Int, in bytes: [UInt8]) -> String {
        guard bytes.contains(where: { !isSpace($0) }) else { return "The file is empty." }
        let place = position(of: offset, in: bytes)
        return "line \(place.line), column \(place.column): \(mistake(at: offset, in: bytes))"
    }

    /// Returns the line and the column of an offset. Both count from one. Columns count characters. A byte order mark
    /// does not count.
    static func position(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
        let before = bytes[..<offset]
        var start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        if start == 0, bytes.starts(with: ConfigurationDocument.byteOrderMark) {
            start = min(offset, ConfigurationDocument.byteOrderMark.count)
        }
        return (
            before.count { $0 == UInt8(ascii: "\n") } + 1,
            String(decoding: bytes[start..<offset], as: UTF8.self).count + 1
        )
    }

    /// Returns a message about an encoding other than UTF-8, or about a NUL character; `nil` for any other text.
    static func detail(ofEncoding data: Data) -> String? {
        let bytes = [UInt8](data)
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return "It is in UTF-16. Save it as UTF-8."
        }
        if bytes.contains(0) { return "It is not in UTF-8, as its NUL characters show. Save it as UTF-8." }
        // Decodes scalar by scalar to find the offset of the first invalid byte.
        var decoder = UTF8()
        var (iterator, offset) = (bytes.makeIterator(), 0)
        decoding: while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): offset += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: break decoding
            }
        }
        let place = position(of: offset, in: bytes)
        return "line \(place.line), column \(place.column): byte \(offset + 1) is not UTF-8. Save it as UTF-8."
    }

    private static func mistake(at offset: Int, in bytes: [UInt8]) -> String {
        guard offset < bytes.count else { return "the document ends too early" }
        let rest = String(decoding: bytes[offset...].prefix(80), as: UTF8.self)
        guard let found = rest.first else { return "this character is not expected here" }
        if found.isNewline || found == "\t" { return "a line break or a tab cannot stand in a text; write \\n or \\t" }
        guard found.isLetter || found.isNumber || found.isPunctuation || found.isSymbol else {
            return "this character is not expected here"
        }
        return form(of: bytes, offset) ?? word(rest) ?? gap(before: found, at: offset, in: bytes)
            ?? "\"\(found)\" is not expected here"
    }

    /// Returns a message for a document that looks like a property list, XML or YAML; `nil` for any other document, or
    /// when the mistake is not at the beginning.
    private static func form(of bytes: [UInt8], _ offset: Int) -> String? {
        guard bytes[..<offset].allSatisfy({ isSpace($0) || $0 == UInt8(ascii: "-") }) else { return nil }
        let text = String(decoding: bytes.drop(while: isSpace).prefix(80), as: UTF8.self)
        if text.hasPrefix("bplist") || text.hasPrefix("<") {
            return "this looks like a property list or XML; write JSON"
        }
        let isYAML = text.hasPrefix("---") || text.hasPrefix("- ") || text.contains(/^[A-Za-z_][\w\-]*\s*:/)
        return isYAML ? "this looks like YAML; write JSON" : nil
    }

    /// Returns a message about a word or a sign that JSON does not have, such as a comment or `None`; `nil` for a
    /// single letter or any other sign.
    private static func word(_ rest: String) -> String? {
        for start in ["#", "//", "/*"] where rest.hasPrefix(start) {
            return "\"\(start)\" starts a comment, which JSON has not"
        }
        if rest.hasPrefix("'") { return "a text stands between \" and \", not between '" }
        if ["\u{201C}", "\u{201D}", "\u{201E}"].contains(where: rest.hasPrefix) {
            return "a text stands between straight quotation marks, as in \"text\""
        }
        let word = String(rest.prefix { $0.isLetter })
        let meant = ["true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"]
        if let value = meant[word.lowercased()] { return "\"\(word)\" is no value of JSON; write \(value)" }
        if ["none", "nil", "null", "undefined"].contains(word.lowercased()) {
            return "\"\(word)\" is no value of JSON; write null"
        }
        return word.count > 1 ? "\"\(word)\" is not expected here; texts stand between \" and \"" : nil
    }

    /// Returns a message about a colon or a comma that is missing before `found`, or a comma too many; `nil` for
    /// other mistakes.
    private static func gap(before found: Character, at offset: Int, in bytes: [UInt8]) -> String? {
        var (open, texts, isKey): ([UInt8], JSONTexts, Bool) = ([], JSONTexts(), false)
        var last: UInt8 = 0
        for byte in bytes[..<offset] where texts.isOpen || !isSpace(byte) {
            if !texts.have(byte) {
                switch byte {
                case UInt8(ascii: "\""): isKey = open.last == UInt8(ascii: "{") && last != UInt8(ascii: ":")
                case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(byte)
                case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
                default: break
                }
            }
            last = byte
        }
        guard !texts.isOpen, let bracket = open.last else { return nil }
        let end = bracket == UInt8(ascii: "{") ? "}" : "]"
        switch last {
        case UInt8(ascii: ",") where "}]".contains(found): return "\"\(found)\" is not expected here after a comma"
        case UInt8(ascii: "\"") where isKey: return "expected : before \"\(found)\""
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ","), UInt8(ascii: ":"): return nil
        default: return "\"{[}]".contains(found) || found.isNumber ? "expected , or \(end) before \"\(found)\"" : nil
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x0A, 0x0D, 0x09].contains(byte) }
}
