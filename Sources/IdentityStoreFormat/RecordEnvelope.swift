/// The format of a record's file. The first line contains the format's version and a SHA-256 digest, which detects damage.
/// The record's document follows.
///
/// ```text
/// swift-identity-record 1.0 0f3c…
/// {"content":"…","generation":7,"key":{"collection":"accounts","name":"work/ada"}}
/// ```
package struct RecordEnvelope {
    package let document: [UInt8]

    /// Errors of opening a record's file.
    package enum FormatError: Error, Equatable {
        /// The file is not a record, or was changed after it was written. The text is the reason, such as `it is empty`.
        case damaged(String)
        /// A later major version of the format wrote the file. The number is that major version.
        case tooNew(Int)
    }

    private static let name = "swift-identity-record"
    private static let version = (major: 1, minor: 0)

    package init(around document: [UInt8]) {
        self.document = document
    }

    package init(opening bytes: [UInt8]) throws(FormatError) {
        guard !bytes.isEmpty else { throw .damaged("it is empty") }
        guard let lineEnd = bytes.prefix(256).firstIndex(of: UInt8(ascii: "\n")) else {
            throw .damaged("its first line is missing")
        }
        let words = bytes[..<lineEnd].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, words[0].elementsEqual(Self.name.utf8) else {
            throw .damaged("it is not a record of this store")
        }
        let numbers = words[1].split(separator: UInt8(ascii: "."))
            .compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == 2 else { throw .damaged("it is not a record of this store") }
        // Check the version before the digest, which a later major version may compute differently.
        guard numbers[0] <= Self.version.major else { throw .tooNew(numbers[0]) }
        document = Array(bytes[(lineEnd + 1)...])
        let digest = IdentityStoreFormat.digest(of: bytes[..<words[1].endIndex], document[...])
        guard words[2].elementsEqual(digest.utf8) else { throw .damaged("its digest does not match") }
    }

    /// Returns the offset of the document in a file; `nil` for a file of another format or another major version. Does
    /// not check the digest, because decryption authenticates the content.
    package static func start(in bytes: [UInt8]) -> Int? {
        guard bytes.starts(with: "\(name) \(version.major).".utf8) else { return nil }
        return bytes.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
    }

    package var bytes: [UInt8] {
        let title = "\(Self.name) \(Self.version.major).\(Self.version.minor)"
        let digest = IdentityStoreFormat.digest(of: Array(title.utf8)[...], document[...])
        return Array("\(title) \(digest)\n".utf8) + document
    }
}
