import Foundation
import IdentityStoreFormat

/// Finds the first syntax error in a JSON document (RFC 8259). Foundation's decoders report no line and column, and only
/// some of these decoders refuse a trailing comma.
enum JSONSyntax {
    /// Line and column of the first syntax error, and what is wrong there, in words; `nil` for a valid document.
    /// - Parameter levels: how deep the document may nest.
    static func mistake(in data: Data, levels: Int) -> String? {
        let mark = ConfigurationDocument.byteOrderMark
        let bytes = [UInt8](data.starts(with: mark) ? data.dropFirst(mark.count) : data)
        var reader = JSONReader(bytes, deepest: levels)
        do {
            try reader.skip()
            try reader.end()
            return nil
        } catch {
            return SyntaxMistake.detail(at: min(reader.offset, bytes.count), in: bytes)
        }
    }
}
