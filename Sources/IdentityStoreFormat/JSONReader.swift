/// Reads a JSON document (RFC 8259) sequentially. Made for the launcher of the tool `identity`, which runs in less time
/// than Foundation's decoder needs to start.
///
/// Refuses documents that parsers interpret differently: those with invalid UTF-8, lone surrogates, and numbers with leading
/// zeros or out of the range of a `Double`. Also refuses texts with many combining marks in a row, because comparing them takes
/// long. Callers decide whether to refuse members with the same name.
package struct JSONReader {
    package enum SyntaxError: Error, Equatable {
        /// The bytes are not JSON, nest too deeply, or are not the expected kind of value.
        case malformed
        /// An object has two members with this name. Only callers of the reader throw this error.
        case duplicateMember(String)
        /// A text has more than ``CombiningMarks/limit`` combining marks in a row.
        case manyMarks
    }

    package enum Kind: Sendable { case object, array, string, number, bool, null }

    package enum Number: Sendable {
        /// A number without fraction and exponent that fits into 64 bits. `-0` is a ``fraction(_:)``, because an
        /// integer has no negative zero.
        case integer(Int64)
        case fraction(Double)

        /// The value if it is a whole number that fits into 64 bits, even when written with a fraction or an exponent;
        /// otherwise `nil`.
        package var wholeValue: Int64? {
            switch self {
            case .integer(let value): value
            case .fraction(let value): Int64(exactly: value)
            }
        }

        /// The value, to the precision of a `Double`.
        package var value: Double {
            switch self {
            case .integer(let value): Double(value)
            case .fraction(let value): value
            }
        }
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    private let bytes: [UInt8]
    private var position: Int
    private var depth = 0
    /// The largest depth of nested objects and arrays. Reading them recurses, and the stack is finite.
    private let deepest: Int

    /// Creates a reader of the document that begins at the index `start`.
    /// - Parameter deepest: the largest depth of nested objects and arrays. The protocols of this library need fewer
    ///   levels than the default of 32.
    package init(_ bytes: [UInt8], from start: Int = 0, deepest: Int = 32) {
        self.bytes = bytes
        self.deepest = deepest
        position = start
    }

    /// The index of the next byte to read. After an error, an index close to the mistake.
    package var offset: Int { position }

    /// The index of the opening quotation mark of the member name that was read last; 0 before the first name.
    package private(set) var nameOffset = 0

    /// The kind of the next value, judged by its first byte. Bytes that begin no value, and the end of the document,
    /// count as ``Kind/number``, and reading the number then fails.
    package mutating func kind() -> Kind {
        skipSpace()
        return switch peek {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    /// Checks that only white space is left.
    package mutating func end() throws(SyntaxError) {
        skipSpace()
        guard position == bytes.count else { throw .malformed }
    }

    /// Reads an object. `read` receives the name of each member and must read its value.
    package mutating func members(
        _ read: (String, inout JSONReader) throws(SyntaxError) -> Void
    ) throws(SyntaxError) {
        try list(from: UInt8(ascii: "{"), to: UInt8(ascii: "}")) { reader throws(SyntaxError) in
            reader.skipSpace()
            reader.nameOffset = reader.position
            let name = try reader.string()
            reader.skipSpace()
            try reader.expect(UInt8(ascii: ":"))
            try read(name, &reader)
        }
    }

    package mutating func elements(_ read: (inout JSONReader) throws(SyntaxError) -> Void) throws(SyntaxError) {
        try list(from: UInt8(ascii: "["), to: UInt8(ascii: "]"), read)
    }

    package mutating func skip() throws(SyntaxError) {
        switch kind() {
        case .object: try members { _, reader throws(SyntaxError) in try reader.skip() }
        case .array: try elements { reader throws(SyntaxError) in try reader.skip() }
        case .string: _ = try string()
        case .number: _ = try number()
        case .bool: _ = try bool()
        case .null: try null()
        }
    }

    package mutating func string() throws(SyntaxError) -> String {
        skipSpace()
        try expect(Self.quote)
        let start = position
        skipPlainText()
        // Text without escapes needs no second buffer.
        if peek == Self.quote {
            defer { position += 1 }
            return try Self.text(bytes[start..<position])
        }
        var content = Array(bytes[start..<position])
        while peek == Self.backslash {
            position += 1
            content += String(Character(try escaped())).utf8
            let start = position
            skipPlainText()
            content += bytes[start..<position]
        }
        try expect(Self.quote)
        return try Self.text(content[...])
    }

    package mutating func number() throws(SyntaxError) -> Number {
        skipSpace()
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, text != "-0", let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw .malformed }
        return .fraction(number)
    }

    package mutating func bool() throws(SyntaxError) -> Bool {
        skipSpace()
        let isTrue = peek == UInt8(ascii: "t")
        try literal(isTrue ? "true" : "false")
        return isTrue
    }

    package mutating func null() throws(SyntaxError) {
        skipSpace()
        try literal("null")
    }

    // MARK: Parts

    private mutating func list(
        from start: UInt8, to end: UInt8, _ read: (inout JSONReader) throws(SyntaxError) -> Void
    ) throws(SyntaxError) {
        skipSpace()
        try expect(start)
        guard depth < deepest else { throw .malformed }
        depth += 1
        defer { depth -= 1 }
        skipSpace()
        if take(end) { return }
        repeat {
            try read(&self)
            skipSpace()
        } while take(UInt8(ascii: ","))
        try expect(end)
    }

    private mutating func escaped() throws(SyntaxError) -> Unicode.Scalar {
        guard let byte = peek else { throw .malformed }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedCodePoint()
        default: throw .malformed
        }
    }

    /// Reads the four hexadecimal digits after `\u`. If they are the first half of a surrogate pair, also reads the
    /// second half.
    private mutating func escapedCodePoint() throws(SyntaxError) -> Unicode.Scalar {
        var codePoint = try codeUnit()
        if (0xD800..<0xDC00).contains(codePoint) {
            try expect(UInt8(ascii: "\\"))
            try expect(UInt8(ascii: "u"))
            let low = try codeUnit()
            guard (0xDC00..<0xE000).contains(low) else { throw .malformed }
            codePoint = 0x10000 + ((codePoint - 0xD800) << 10) + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(codePoint) else { throw .malformed }
        return scalar
    }

    private mutating func codeUnit() throws(SyntaxError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw .malformed }
            position += 1
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    private mutating func literal(_ word: StaticString) throws(SyntaxError) {
        let end = position + word.utf8CodeUnitCount
        let isThere = word.withUTF8Buffer { end <= bytes.count && bytes[position..<end].elementsEqual($0) }
        guard isThere else { throw .malformed }
        position = end
    }

    private mutating func digits() throws(SyntaxError) {
        let start = position
        while let byte = peek, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { position += 1 }
        guard position > start else { throw .malformed }
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(SyntaxError) {
        guard take(byte) else { throw .malformed }
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Moves to the next quotation mark, backslash or control character, or to the end of the document. Callers refuse
    /// a control character, because they expect a quotation mark or a backslash.
    private mutating func skipPlainText() {
        position = bytes.withUnsafeBytes { bytes in
            var end = position
            // Check eight bytes at a time, because tokens are long.
            while end + 8 <= bytes.count, Self.arePlain(bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self)) {
                end += 8
            }
            while end < bytes.count, bytes[end] != Self.quote, bytes[end] != Self.backslash, bytes[end] >= 0x20 {
                end += 1
            }
            return end
        }
    }

    /// Whether none of eight bytes is a quotation mark, a backslash or a control character.
    private static func arePlain(_ bytes: UInt64) -> Bool {
        let (ones, highBits): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        /// Returns 0 if every byte is at least `limit`, otherwise another number. `limit` must not exceed 0x80.
        func below(_ limit: UInt64, _ bytes: UInt64) -> UInt64 { (bytes &- ones &* limit) & ~bytes & highBits }
        let quotes = below(1, bytes ^ (ones &* UInt64(quote)))
        let backslashes = below(1, bytes ^ (ones &* UInt64(backslash)))
        return quotes | backslashes | below(0x20, bytes) == 0
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(SyntaxError) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        // Check UTF-8 explicitly, because decoding would repair invalid bytes and change the text.
        let isASCII = bytes.withUnsafeBufferPointer { $0.reduce(0, |) < 0x80 }
        guard !isASCII else { return text }
        guard text.utf8.elementsEqual(bytes) else { throw .malformed }
        guard CombiningMarks.areFew(in: text) else { throw .manyMarks }
        return text
    }
}
