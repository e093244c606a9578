#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Encrypts a record's content with AES-256-GCM (NIST SP 800-38D) under the store's key. The encryption authenticates the
/// record's collection, name and generation, so that content moved to another record cannot be decrypted.
///
/// Encrypted content is a line with the format, the cipher and the key's identifier, then a fresh random nonce, the
/// ciphertext and the authentication tag.
package struct RecordSeal: Sendable, Equatable {
    package struct Place {
        let collection: String
        package let name: String
        let generation: UInt64

        package init(collection: String, name: String, generation: UInt64) {
            self.collection = collection
            self.name = name
            self.generation = generation
        }

        fileprivate var context: [UInt8] {
            // Include the lengths, because the collection and the name follow each other without a separator.
            let lengths = "\(collection.utf8.count) \(name.utf8.count)"
            return Array("\(RecordSeal.format) \(lengths) \(generation) \(collection)\(name)".utf8)
        }
    }

    package enum OpenError: Error, Equatable {
        /// The content was encrypted with another key, or is not encrypted.
        case otherKey
        /// The content was encrypted with this key, but has been changed or moved to another record or generation.
        case broken
    }

    private static let format = "swift-identity-sealed 1 aes-256-gcm"

    private let bytes: [UInt8]
    private let key: SymmetricKey

    package init(key bytes: [UInt8]) {
        self.bytes = bytes
        key = SymmetricKey(data: bytes)
    }

    /// Decodes a key from its text; `nil` unless `text` is the base64 form of 32 bytes. Surrounding white space is ignored.
    package static func key(fromText text: String) -> [UInt8]? {
        guard let start = text.utf8.firstIndex(where: isContent), let end = text.utf8.lastIndex(where: isContent),
            let key = Data(base64Encoded: String(text[start...end])), key.count == 32
        else { return nil }
        return Array(key)
    }

    private static func isContent(_ byte: UInt8) -> Bool { byte > 0x20 }

    package var keyIdentifier: String {
        String(digest(of: Array("swift-identity data key".utf8) + bytes).prefix(16))
    }

    package static func isSealed(_ content: Data) -> Bool {
        // Compare the bytes in place, because the iterator of `Data` copies the content in pieces.
        content.withUnsafeBytes { $0.starts(with: format.utf8) }
    }

    package func seal(_ content: Data, at place: Place) throws -> Data {
        let box = try AES.GCM.seal(content, using: key, authenticating: place.context)
        return Data(title.utf8) + box.nonce + box.ciphertext + box.tag
    }

    package func hasSealed(_ content: Data) -> Bool {
        content.withUnsafeBytes { $0.starts(with: title.utf8) }
    }

    /// Decrypts the content of the record at `place`.
    package func open(_ sealed: Data, at place: Place) throws(OpenError) -> Data {
        guard Self.isSealed(sealed),
            let titleLength = sealed.withUnsafeBytes({ $0.firstIndex(of: UInt8(ascii: "\n")) }).map({ $0 + 1 }),
            let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst(titleLength)),
            let content = try? AES.GCM.open(box, using: key, authenticating: place.context)
        else { throw hasSealed(sealed) ? .broken : .otherKey }
        return content
    }

    private var title: String { "\(Self.format) \(keyIdentifier)\n" }
}
