import Foundation
import IdentityStoreFormat

/// The text of a configuration document, for adding or replacing a provider. An edit leaves the rest of the text as it
/// is: the order of members, white space, and other profiles.
package struct ConfigurationText {
    private let document: Data

    package init(_ document: Data) { self.document = document }

    /// Returns the document with `provider` added at the end of the providers of a profile.
    /// - Parameters:
    ///   - provider: the new provider. The caller checks that no provider of the profile has its name.
    ///   - profile: the name of the profile; `nil` to choose it as
    ///     ``IdentityConfiguration/init(parsing:profile:variables:)`` does.
    ///   - variables: the environment variables, of which only `SWIFT_IDENTITY_PROFILE` is used.
    /// - Throws: ``ConfigurationError`` for an invalid document, for a profile that is unknown or cannot be chosen, and
    ///   for a profile without `providers`.
    package func adding(
        _ provider: ProviderConfiguration, profile: String? = nil,
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Data {
        let list = try providers(of: profile, variables)
        return document(
            with: (list.elements.isEmpty ? "" : ",") + list.space + (try text(of: provider, in: list)),
            in: list.end..<list.end)
    }

    /// Returns the document with the provider of the same name replaced by `provider`. The other parameters are those of
    /// ``adding(_:profile:variables:)``.
    /// - Throws: ``ConfigurationError`` as ``adding(_:profile:variables:)``, and
    ///   ``ConfigurationError/missingKey(keyPath:misspelling:)`` when the profile has no provider of that name.
    package func replacing(
        _ provider: ProviderConfiguration, profile: String? = nil,
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Data {
        let list = try providers(of: profile, variables)
        guard let index = list.names.firstIndex(of: provider.name), list.elements.indices.contains(index) else {
            throw ConfigurationError.missingKey(keyPath: "providers")
        }
        return document(with: try text(of: provider, in: list), in: list.elements[index])
    }

    private func document(with text: String, in place: Range<Int>) -> Data {
        let bytes = [UInt8](document)
        return Data(bytes[..<place.lowerBound]) + Data(text.utf8) + Data(bytes[place.upperBound...])
    }

    /// The array of a profile's providers, with byte offsets into the document.
    private struct List {
        let names: [String?]
        let elements: [Range<Int>]
        let end: Int
        /// White space before the last element, such as a line end and indentation; empty for an empty array.
        let space: String
    }

    private func providers(of profile: String?, _ variables: [String: String]) throws -> List {
        let parsed = try ConfigurationDocument(parsing: document)
        let chosen = try parsed.profile(profile, variables: variables)
        guard let providers = chosen.value["providers"]?.arrayValue else {
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
        return List(
            names: providers.map { $0["name"]?.stringValue }, elements: list.elements, end: list.end,
            space: String(decoding: bytes[list.space], as: UTF8.self))
    }

    /// The JSON of `provider`: on several lines if the last provider of the list begins on a new line, or else on one line.
    private func text(of provider: ProviderConfiguration, in list: List) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let lines = String(decoding: try encoder.encode(provider), as: UTF8.self).split(separator: "\n")
        return list.space.contains { $0.isNewline }
            ? lines.joined(separator: list.space) : lines.map { $0.drop { $0 == " " } }.joined(separator: " ")
    }

    private struct ListPlace {
        struct List {
            /// Offset after the last element, or in an empty array after the opening bracket.
            var end: Int
            var elements: [Range<Int>] = []
            /// The white space before the last element; an empty range for an empty array.
            var space: Range<Int>
        }

        private(set) var list: List?

        /// Sets `list` to the array at `path`, or to `nil` when there is none. Among members of the same name, the last
        /// is used, as in decoders.
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
                // The reader has already skipped the space before the first element.
                let before = measured.elements.isEmpty ? bracket : reader.offset
                _ = reader.kind()
                let begin = reader.offset
                measured.space = before..<begin
                try reader.skip()
                measured.end = reader.offset
                measured.elements.append(begin..<measured.end)
            }
            list = measured
        }
    }
}
