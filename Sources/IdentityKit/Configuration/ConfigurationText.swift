import Foundation
import IdentityStoreFormat

/// A configuration document as somebody wrote it. A provider is added in its place, and what is around it stays: the order of
/// members, the white space, and other profiles.
package struct ConfigurationText {
    private let document: Data

    package init(_ document: Data) { self.document = document }

    /// The document with `provider` after the others of a profile.
    /// - Parameters:
    ///   - provider: the provider, whose name the profile must not have yet.
    ///   - profile: the profile, found as ``IdentityConfiguration/init(parsing:profile:variables:)`` finds it.
    /// - Throws: ``ConfigurationError`` for a document that is none, without the profile, or without providers.
    package func adding(
        _ provider: ProviderConfiguration, profile: String? = nil,
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Data {
        let parsed = try ConfigurationDocument(parsing: document)
        let chosen = try parsed.profile(profile, variables: variables)
        guard chosen.value["providers"]?.arrayValue != nil else {
            throw ConfigurationError.missingKey(keyPath: SettingsNode.join(chosen.keyPath, "providers"))
        }
        let path = chosen.keyPath.isEmpty ? ["providers"] : ["profiles", chosen.name, "providers"]
        let bytes = [UInt8](document)
        let mark = ConfigurationDocument.byteOrderMark
        let start = bytes.starts(with: mark) ? mark.count : 0
        var place = ListPlace()
        do {
            var reader = JSONReader(bytes, from: start, deepest: DocumentLimits.maximumDepth)
            try place.find(path[...], in: &reader)
        } catch {
            throw ConfigurationError.notADocument(detail: "it could not be read a second time")
        }
        guard let list = place.list else { throw ConfigurationError.missingKey(keyPath: path.joined(separator: ".")) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let lines = String(decoding: try encoder.encode(provider), as: UTF8.self).split(separator: "\n")
        let space = String(decoding: bytes[list.space], as: UTF8.self)
        // On a line of its own the provider has lines as well. Elsewhere it is one line, like its neighbours.
        let text =
            space.contains { $0.isNewline }
            ? lines.joined(separator: space) : lines.map { $0.drop { $0 == " " } }.joined(separator: " ")
        let added = (list.isEmpty ? "" : ",") + space + text
        return Data(bytes[..<list.end]) + Data(added.utf8) + Data(bytes[list.end...])
    }

    private struct ListPlace {
        struct List {
            /// Where the last element ends; for an empty list where its bracket ends.
            var end: Int
            var isEmpty = true
            /// What stands before an element: a line's end and the indentation, or a space.
            var space: Range<Int>
        }

        private(set) var list: List?

        /// Looks for the list at `path`. Of members with the same name the last counts, as for a decoder.
        mutating func find(
            _ path: ArraySlice<String>, in reader: inout JSONReader
        ) throws(JSONReader.SyntaxError) {
            guard let next = path.first else { return try measure(&reader) }
            guard reader.kind() == .object else { return try reader.skip() }
            var found: ListPlace?
            try reader.members { name, reader throws(JSONReader.SyntaxError) in
                guard name == next else { return try reader.skip() }
                var place = ListPlace()
                try place.find(path.dropFirst(), in: &reader)
                found = place
            }
            list = found?.list
        }

        private mutating func measure(_ reader: inout JSONReader) throws(JSONReader.SyntaxError) {
            guard reader.kind() == .array else { return try reader.skip() }
            let bracket = reader.offset + 1
            var measured = List(end: bracket, space: bracket..<bracket)
            try reader.elements { reader throws(JSONReader.SyntaxError) in
                // The reader has passed the space before the first element.
                let before = measured.isEmpty ? bracket : reader.offset
                _ = reader.kind()
                measured.space = before..<reader.offset
                try reader.skip()
                measured.end = reader.offset
                measured.isEmpty = false
            }
            list = measured
        }
    }
}
