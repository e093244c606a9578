import Foundation
import StoreFormat

/// Finds the first mistake in the syntax of a JSON document (RFC 8259). Decoders do not say where it is, and some let a comma
/// before a bracket pass, which others refuse.
enum JSONSyntax {
    /// Where the first mistake is and what stands there; `nil` for a document without one, and for one that is not in UTF-8.
    /// - Parameter levels: how deep the document may nest.
    static func mistake(in data: Data, levels: Int) -> String? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = [UInt8](data.starts(with: mark) ? data.dropFirst(mark.count) : data)
        guard !bytes.contains(0) else { return nil }
        var reader = JSONReader(bytes, deepest: levels)
        do {
            try reader.skip()
            try reader.end()
            return nil
        } catch {
            return place(of: min(reader.offset, bytes.count), in: bytes)
        }
    }

    private static func place(of offset: Int, in bytes: [UInt8]) -> String {
        let before = bytes[..<offset]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = String(decoding: bytes[start..<offset], as: UTF8.self).count + 1
        let found =
            if offset == bytes.count {
                "the document ends too early"
            } else if let found = character(at: offset, in: bytes) {
                "\"\(found)\" is not expected here"
            } else { "this character is not expected here" }
        return "line \(line), column \(column): \(found)"
    }

    /// The character, where it is one that can be shown.
    private static func character(at offset: Int, in bytes: [UInt8]) -> Character? {
        let character = String(decoding: bytes[offset...].prefix(4), as: UTF8.self).first
        return character.flatMap { $0.isLetter || $0.isNumber || $0.isPunctuation || $0.isSymbol ? $0 : nil }
    }
}
