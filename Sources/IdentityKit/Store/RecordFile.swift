import Foundation

/// The bytes of one record's file: a line with the format's version and a digest of everything, then a JSON document
/// that names the record, so that neither a damaged file nor one copied over another is taken for the truth.
///
/// ```text
/// swift-identity-record 1.0 0f3c…
/// {"content":"…","generation":7,"key":{"collection":"accounts","name":"work/ada"}}
/// ```
struct RecordFile {
    let record: StoreRecord
    /// Members that a later minor version wrote. They are kept when this version replaces the record.
    let unknownMembers: [String: JSONValue]

    private static let formatName = "swift-identity-record"
    private static let version = (major: 1, minor: 0)
    private static let knownMembers: Set<String> = ["content", "generation", "key"]

    init(_ record: StoreRecord, keeping unknownMembers: [String: JSONValue] = [:]) {
        self.record = record
        self.unknownMembers = unknownMembers
    }

    /// The file's bytes.
    func encoded() throws -> Data {
        var members = unknownMembers
        members["content"] = record.content.map { .string($0.base64EncodedString()) }
        members["generation"] = .integer(Int64(record.generation))
        members["key"] = ["collection": .string(record.key.collection.rawValue), "name": .string(record.key.name)]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = try encoder.encode(members)
        let title = "\(Self.formatName) \(Self.version.major).\(Self.version.minor)"
        return Data("\(title) \(Self.digest(title: title, body: body))\n".utf8) + body
    }

    /// Reads a file.
    /// - Parameter path: for the error.
    /// - Throws: ``TokenStoreError/corrupt(path:detail:)`` or ``TokenStoreError/tooNew(path:version:)``.
    init(_ bytes: Data, path: String) throws(TokenStoreError) {
        func corrupt(_ detail: String) -> TokenStoreError { .corrupt(path: path, detail: detail) }

        guard !bytes.isEmpty else { throw corrupt("it is empty") }
        guard let lineEnd = bytes.prefix(256).firstIndex(of: UInt8(ascii: "\n")) else {
            throw corrupt("its first line is missing")
        }
        let line = String(decoding: bytes[..<lineEnd], as: UTF8.self)
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        let numbers = (words.count == 3 ? words[1] : "").split(separator: ".").compactMap { Int($0) }
        guard words.first ?? "" == Self.formatName, numbers.count == 2 else {
            throw corrupt("it is not a record of this store")
        }
        // Asked before the digest: a later major version may digest in its own way.
        guard numbers[0] <= Self.version.major else { throw .tooNew(path: path, version: numbers[0]) }
        let body = Data(bytes[(lineEnd + 1)...])
        guard words[2] == Self.digest(title: "\(words[0]) \(words[1])", body: body) else {
            throw corrupt("its digest does not match")
        }
        guard let members = (try? JSONValue(parsing: body))?.objectValue, let record = StoreRecord(members) else {
            throw corrupt("a part of it is missing")
        }
        self.init(record, keeping: members.filter { !Self.knownMembers.contains($0.key) })
    }

    private static func digest(title: String, body: Data) -> String {
        sha256(Data(title.utf8) + body).hexEncoded
    }
}

extension StoreRecord {
    fileprivate init?(_ members: [String: JSONValue]) {
        guard let generation = members["generation"]?.integerValue, generation > 0,
            let collection = members["key"]?["collection"]?.stringValue,
            let name = members["key"]?["name"]?.stringValue
        else { return nil }
        let content = members["content"]?.stringValue.flatMap { Data(base64Encoded: $0) }
        // No content is an erased record; one that is there and cannot be read is not.
        if members["content"] != nil, content == nil { return nil }
        self.init(
            key: StoreKey(StoreKey.Collection(rawValue: collection), name), generation: UInt64(generation),
            content: content)
    }
}
