import Foundation

/// The 256-bit key that seals the records of one store. It prints as `<redacted>`.
public struct DataKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    private let bytes: Data

    /// A fresh key.
    /// - Throws: ``RandomnessUnavailable``.
    public init(random: RandomSource = .system) throws {
        bytes = Data(try random.bytes(32))
    }

    /// A key as a home keeps it; `nil` unless `text` is the base64 form of 32 bytes.
    public init?(text: Secret) {
        let trimmed = text.reveal().trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = Data(base64Encoded: trimmed), bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// The form a home keeps: base64.
    public var text: Secret { Secret(bytes.base64EncodedString()) }

    /// Tells keys apart and says nothing about them.
    var identifier: String {
        sha256(Data("swift-identity data key".utf8) + bytes).prefix(8).hexEncoded
    }

    /// Always `<redacted>`.
    public var description: String { "<redacted>" }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension DataKey {
    /// What a sealed content begins with: format, cipher, and the key's identifier follow in one line.
    static let format = "swift-identity-sealed 1 aes-256-gcm"

    static func isSealed(_ content: Data) -> Bool {
        content.starts(with: Data(format.utf8))
    }

    func seal(_ content: Data, context: Data) throws -> Data {
        let sealed = try AuthenticatedEncryption.seal(content, key: bytes, context: context)
        return Data("\(Self.format) \(identifier)\n".utf8) + sealed
    }

    /// - Throws: ``TokenStoreError``, which tells a damaged content from one under another key.
    func open(_ sealed: Data, context: Data, name: String) throws -> Data {
        let title = Data("\(Self.format) \(identifier)\n".utf8)
        guard sealed.starts(with: title) else {
            throw TokenStoreError.corrupt(path: name, detail: "it was sealed with another key")
        }
        guard
            let content = AuthenticatedEncryption.open(
                Data(sealed.dropFirst(title.count)), key: bytes, context: context)
        else { throw TokenStoreError.corrupt(path: name, detail: "its seal is broken") }
        return content
    }
}
