import Foundation

/// The text of one record's file: a JSON document that names itself, so that a file copied over another is noticed.
struct RecordFile: Codable {
    static let formatName = "swift-identity-record"
    static let currentVersion = 1

    let format: String
    let version: Int
    let key: StoreKey
    let generation: UInt64
    let content: Data?

    init(_ record: StoreRecord) {
        format = Self.formatName
        version = Self.currentVersion
        key = record.key
        generation = record.generation
        content = record.content
    }

    /// The file's bytes.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Reads a record.
    /// - Parameter path: for the error.
    /// - Throws: ``TokenStoreError/corrupt(path:detail:)`` or ``TokenStoreError/tooNew(path:version:)``.
    static func record(from bytes: Data, path: String) throws -> StoreRecord {
        guard !bytes.isEmpty else { throw TokenStoreError.corrupt(path: path, detail: "it is empty") }
        guard let document = try? JSONValue(parsing: bytes) else {
            throw TokenStoreError.corrupt(path: path, detail: "it is not a JSON document")
        }
        guard document["format"]?.stringValue == formatName, let version = document["version"]?.integerValue else {
            throw TokenStoreError.corrupt(path: path, detail: "it is not a record of this store")
        }
        guard version <= currentVersion else { throw TokenStoreError.tooNew(path: path, version: Int(version)) }
        guard let file = try? JSONDecoder().decode(RecordFile.self, from: bytes), file.generation > 0 else {
            throw TokenStoreError.corrupt(path: path, detail: "a part of it is missing")
        }
        return StoreRecord(key: file.key, generation: file.generation, content: file.content)
    }
}
