import Foundation
import IdentityStoreFormat

/// The file of one record: an envelope with a digest around a JSON document. The document contains the record's key, so
/// that a file that was copied over another file is detected.
struct RecordFile {
    let record: StoreRecord
    /// Members that a later version of this library wrote, kept when this version replaces the record.
    let unknownMembers: [String: JSONValue]

    init(_ record: StoreRecord, keeping unknownMembers: [String: JSONValue] = [:]) {
        self.record = record
        self.unknownMembers = unknownMembers
    }

    func encoded() throws -> Data {
        var members = unknownMembers
        members["content"] = record.content.map { .string($0.base64EncodedString()) }
        members["generation"] = .integer(Int64(clamping: record.generation))
        members["key"] = ["collection": .string(record.key.collection.rawValue), "name": .string(record.key.name)]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Data(RecordEnvelope(around: Array(try encoder.encode(members))).bytes)
    }

    /// Decodes the content of a record file.
    /// - Parameter path: the path of the file, for errors.
    /// - Throws: ``/IdentityCore/TokenStoreError/corrupt(path:detail:)`` or
    ///   ``/IdentityCore/TokenStoreError/tooNew(path:version:)``.
    init(_ bytes: Data, path: String) throws(TokenStoreError) {
        let document: [UInt8]
        do throws(RecordEnvelope.FormatError) {
            document = try RecordEnvelope(opening: Array(bytes)).document
        } catch {
            switch error {
            case .damaged(let detail): throw .corrupt(path: path, detail: detail)
            case .tooNew(let version): throw .tooNew(path: path, version: version)
            }
        }
        var unknownMembers: [String: JSONValue] = [:]
        var reader = JSONReader(document, deepest: JSONNesting.maximum)
        let stored = try? RecordDocument(&reader) { name, reader throws(JSONReader.SyntaxError) in
            let isFirst = unknownMembers.updateValue(try JSONValue(&reader), forKey: name) == nil
            guard isFirst else { throw .duplicateMember(name) }
        }
        guard let stored, (try? reader.end()) != nil, let record = StoreRecord(stored) else {
            throw .corrupt(path: path, detail: "a part of it is missing")
        }
        self.init(record, keeping: unknownMembers)
    }
}

extension StoreRecord {
    fileprivate init?(_ stored: RecordDocument) {
        guard let generation = stored.generation, Self.generations.contains(generation),
            let collection = stored.collection, let name = stored.name
        else { return nil }
        let content = stored.content.flatMap { Data(base64Encoded: $0) }
        // A record without content is erased, but content that is not base64 is damaged.
        if stored.content != nil, content == nil { return nil }
        self.init(
            key: StoreKey(StoreKey.Collection(rawValue: collection), name), generation: generation,
            content: content)
    }
}
