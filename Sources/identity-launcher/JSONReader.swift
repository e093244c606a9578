/// Reads a JSON document (RFC 8259) from its first byte to its last, without a model of it: Foundation's decoder takes
/// longer to get ready than the rest of this program to run.
struct JSONReader {
    /// The bytes are no JSON, or not the value that was asked for.
    struct Malformed: Error {}

    private let bytes: [UInt8]
    private var position: Int
    private var depth = 0

    /// A reader of a document that begins at `start`.
    init(_ bytes: [UInt8], from start: Int = 0) {
        self.bytes = bytes
        position = start
    }

    /// Reads an object. `read` is given the name of each member and must read its value.
    mutating func members(
        _ read: (String, inout JSONReader) throws(Malformed) -> Void
    ) throws(Malformed) {
        try list(from: UInt8(ascii: "{"), to: UInt8(ascii: "}")) { reader throws(Malformed) in
            let name = try reader.string()
            reader.skipSpace()
            try reader.expect(UInt8(ascii: ":"))
            try read(name, &reader)
        }
    }

    /// Reads an array. `read` must read each element.
    mutating func elements(_ read: (inout JSONReader) throws(Malformed) -> Void) throws(Malformed) {
        try list(from: UInt8(ascii: "["), to: UInt8(ascii: "]"), read)
    }

    /// Reads a value and forgets it.
    mutating func skip() throws(Malformed) {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): try members { _, reader throws(Malformed) in try reader.skip() }
        case UInt8(ascii: "["): try elements { reader throws(Malformed) in try reader.skip() }
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        default: _ = try number()
        }
    }

    /// Reads a text.
    mutating func string() throws(Malformed) -> String {
        skipSpace()
        try expect(UInt8(ascii: "\""))
        let start = position
        while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        var text = String(decoding: bytes[start..<position], as: UTF8.self)
        while let byte = peek, byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else { throw Malformed() }
            position += 1
            text.unicodeScalars.append(try escaped())
            let start = position
            while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
                position += 1
            }
            text += String(decoding: bytes[start..<position], as: UTF8.self)
        }
        try expect(UInt8(ascii: "\""))
        return text
    }

    /// Reads a number.
    mutating func number() throws(Malformed) -> Double {
        skipSpace()
        let start = position
        while let byte = peek, Self.isPartOfNumber(byte) { position += 1 }
        guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)), number.isFinite else {
            throw Malformed()
        }
        return number
    }

    // MARK: Parts

    private mutating func list(
        from start: UInt8, to end: UInt8, _ read: (inout JSONReader) throws(Malformed) -> Void
    ) throws(Malformed) {
        skipSpace()
        try expect(start)
        // Deeper than anything a store holds, and far from the end of the stack.
        guard depth < 64 else { throw Malformed() }
        depth += 1
        defer { depth -= 1 }
        skipSpace()
        guard peek != end else {
            position += 1
            return
        }
        try read(&self)
        skipSpace()
        while peek != end {
            try expect(UInt8(ascii: ","))
            try read(&self)
            skipSpace()
        }
        position += 1
    }

    private mutating func escaped() throws(Malformed) -> Unicode.Scalar {
        guard let byte = peek else { throw Malformed() }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedCodePoint()
        default: throw Malformed()
        }
    }

    /// `XXXX` behind `\u`, or two code units that make one character beyond the first 65,536.
    private mutating func escapedCodePoint() throws(Malformed) -> Unicode.Scalar {
        var codePoint = try codeUnit()
        if (0xD800..<0xDC00).contains(codePoint) {
            try expect(UInt8(ascii: "\\"))
            try expect(UInt8(ascii: "u"))
            let low = try codeUnit()
            guard (0xDC00..<0xE000).contains(low) else { throw Malformed() }
            codePoint = 0x10000 + ((codePoint - 0xD800) << 10) + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(codePoint) else { throw Malformed() }
        return scalar
    }

    private mutating func codeUnit() throws(Malformed) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw Malformed() }
            position += 1
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    private mutating func literal(_ word: StaticString) throws(Malformed) {
        let end = position + word.utf8CodeUnitCount
        let isThere = word.withUTF8Buffer { end <= bytes.count && bytes[position..<end].elementsEqual($0) }
        guard isThere else { throw Malformed() }
        position = end
    }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func expect(_ byte: UInt8) throws(Malformed) {
        guard peek == byte else { throw Malformed() }
        position += 1
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }
}
