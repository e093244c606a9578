import Foundation
import IdentityKit

/// A JSON reader for what security rests on (RFC 8259).
///
/// Foundation's keeps one of two members with the same name without a word, and another reader may keep the other one.
/// This one refuses them, and anything else two readers could disagree about: text after the document, bad UTF-8, lone
/// surrogates, numbers out of range.
enum StrictJSON {
    /// Why a document was refused.
    enum Failure: Error, Equatable {
        case malformed
        case duplicateMember(String)
    }

    /// Parses one document.
    static func parse(_ data: Data) throws(Failure) -> JSONValue {
        var parser = StrictJSONParser(bytes: Array(data))
        return try parser.document()
    }

    /// Parses a document that must be an object.
    static func parseObject(_ data: Data) throws(Failure) -> [String: JSONValue] {
        guard case .object(let members) = try parse(data) else { throw .malformed }
        return members
    }
}

/// A recursive-descent parser over bytes.
private struct StrictJSONParser {
    private typealias Failure = StrictJSON.Failure

    /// No document of these protocols nests deeper, and the stack is finite.
    private static let maximumDepth = 32

    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func document() throws(StrictJSON.Failure) -> JSONValue {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw .malformed }
        return value
    }

    private mutating func value(depth: Int) throws(Failure) -> JSONValue {
        guard depth < Self.maximumDepth else { throw .malformed }
        skipSpace()
        switch peek() {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(Failure) -> [String: JSONValue] {
        position += 1
        var members: [String: JSONValue] = [:]
        skipSpace()
        if take(UInt8(ascii: "}")) { return members }
        repeat {
            skipSpace()
            guard peek() == UInt8(ascii: "\"") else { throw .malformed }
            let name = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw .malformed }
            let value = try value(depth: depth + 1)
            guard members.updateValue(value, forKey: name) == nil else { throw .duplicateMember(name) }
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw .malformed }
        return members
    }

    private mutating func array(depth: Int) throws(Failure) -> [JSONValue] {
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return elements }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw .malformed }
        return elements
    }

    private mutating func string() throws(Failure) -> String {
        position += 1
        let start = position
        while let byte = peek(), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            guard byte >= 0x20 else { throw .malformed }
            position += 1
        }
        // Nearly every string ends here; only one with an escape needs a second buffer.
        if take(UInt8(ascii: "\"")) { return try Self.text(bytes[start..<(position - 1)]) }
        var content = Array(bytes[start..<position])
        while let byte = peek() {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try Self.text(content[...])
            case UInt8(ascii: "\\"): content += String(try escape()).utf8
            case 0..<0x20: throw .malformed
            default: content.append(byte)
            }
        }
        throw .malformed
    }

    private mutating func escape() throws(Failure) -> Character {
        defer { position += 1 }
        switch peek() {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return Character(try unicodeEscape())
        default: throw .malformed
        }
    }

    /// Reads `uXXXX`, and the second half of a surrogate pair with it; stops on the last digit.
    private mutating func unicodeEscape() throws(Failure) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        position += 1
        guard first < 0xDC00, take(UInt8(ascii: "\\")), peek() == UInt8(ascii: "u") else { throw .malformed }
        let second = try codeUnit()
        guard 0xDC00...0xDFFF ~= second,
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first - 0xD800) << 10 | UInt32(second - 0xDC00)))
        else { throw .malformed }
        return scalar
    }

    private mutating func codeUnit() throws(Failure) -> UInt16 {
        guard position + 4 < bytes.count else { throw .malformed }
        var unit: UInt16 = 0
        for digit in bytes[(position + 1)...(position + 4)] {
            guard let value = FormEncoding.hexValue(digit) else { throw .malformed }
            unit = unit << 4 | UInt16(value)
        }
        position += 4
        return unit
    }

    private mutating func number() throws(Failure) -> JSONValue {
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
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw .malformed }
        return .number(number)
    }

    private mutating func digits() throws(Failure) {
        let start = position
        while let byte = peek(), UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { position += 1 }
        guard position > start else { throw .malformed }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Failure) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard end <= bytes.count, bytes[position..<end].elementsEqual(expected) else { throw .malformed }
        position = end
        return value
    }

    private func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        // Decoding repairs bad UTF-8; a repaired string is not what was signed or sent.
        if bytes.contains(where: { $0 >= 0x80 }), !text.utf8.elementsEqual(bytes) { throw .malformed }
        return text
    }
}
