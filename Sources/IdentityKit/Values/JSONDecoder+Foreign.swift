import Foundation
import IdentityStoreFormat

extension JSONDecoder {
    /// Decodes an untrusted document.
    /// - Throws: `DecodingError`, also for a document that nests deeper than ``JSONNesting/maximum`` or has a text with
    ///   more combining marks in a row than `CombiningMarks.limit`.
    package static func decodeForeign<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try JSONNesting.check(data)
        try CombiningMarks.check(data)
        return try JSONDecoder().decode(type, from: data)
    }
}

extension CombiningMarks {
    /// Checks the combining marks in the texts of a JSON document. Skips malformed texts, which the decoder refuses.
    /// - Throws: `DecodingError` when a text has more than ``limit`` marks in a row.
    static func check(_ document: Data) throws {
        // Without a byte outside of ASCII and without an escape, the document has no combining mark.
        guard document.contains(where: { $0 >= 0x80 }) || document.range(of: Data(#"\u"#.utf8)) != nil else { return }
        let bytes = Array(document)
        var texts = JSONTexts()
        for (offset, byte) in bytes.enumerated() where !texts.have(byte) && texts.isOpen {
            var reader = JSONReader(bytes, from: offset)
            do {
                _ = try reader.string()
            } catch .manyMarks {
                let detail = "It has more than \(limit) combining marks in a row."
                throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: detail))
            } catch {}
        }
    }
}
