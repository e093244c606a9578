import Foundation
import IdentityKit

/// The storage for the state of a local server, usually a file.
package struct ServerStorage: Sendable {
    /// The name of the storage in error messages, such as the file's path.
    package let name: String
    /// The saved state; `nil` for a server that starts for the first time.
    package let content: Data?
    /// Replaces the saved state atomically, so that a crash leaves either the old or the new state.
    package let save: @Sendable (Data) throws -> Void

    /// Creates a storage for one server.
    /// - Parameters:
    ///   - name: the name in error messages, such as the file's path.
    ///   - content: the state that an earlier run of the server saved; `nil` for none.
    ///   - save: replaces the saved state atomically.
    package init(name: String, content: Data?, save: @escaping @Sendable (Data) throws -> Void) {
        (self.name, self.content, self.save) = (name, content, save)
    }
}

/// The error for a saved state that the server cannot read. The storage is left unchanged.
package struct SavedStateError: IdentityFailure, Equatable {
    package let name: String
    package let detail: String
    package let failureCode = "saved_state_unusable"
    package let failureClass = FailureClass.definitive
    package var message: String {
        "\(name) cannot be used: \(detail). Nothing was changed. Repair it, or move it away to start without it."
    }

    package init(name: String, detail: String) {
        self.name = name
        self.detail = detail
    }
}

/// The JSON format of saved states. The document contains the version of the format, so that an older program refuses a
/// newer format.
package enum SavedDocument {
    private static let version = 1

    private struct Envelope<Content: Codable>: Codable {
        let version: Int
        let content: Content
    }

    private struct Header: Decodable {
        let version: Int
    }

    /// Returns `content` as JSON with sorted keys. Equal content gives equal bytes, unless it contains a `Set`, whose elements
    /// have no fixed order.
    package static func encode(_ content: some Codable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(Envelope(version: version, content: content))
    }

    /// Returns the content of a document from ``encode(_:)``.
    /// - Throws: ``SavedStateError`` if the document is malformed or was written by a newer version of the program.
    package static func decode<Content: Codable>(_ type: Content.Type, from data: Data, name: String) throws -> Content
    {
        do {
            let header = try JSONDecoder().decode(Header.self, from: data)
            guard header.version <= version else {
                throw SavedStateError(name: name, detail: "it was written by a newer version of this program")
            }
            return try JSONDecoder().decode(Envelope<Content>.self, from: data).content
        } catch let error as SavedStateError {
            throw error
        } catch DecodingError.keyNotFound(let key, let context) {
            let path = (context.codingPath + [key]).map(\.stringValue).joined(separator: ".")
            throw SavedStateError(name: name, detail: "\(path) is missing")
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            throw SavedStateError(name: name, detail: "it is no JSON")
        } catch let DecodingError.dataCorrupted(context), let DecodingError.typeMismatch(_, context),
            let DecodingError.valueNotFound(_, context)
        {
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw SavedStateError(name: name, detail: "\(path) is not what it should be")
        }
    }
}
