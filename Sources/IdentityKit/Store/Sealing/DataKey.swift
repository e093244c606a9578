import Foundation
import IdentityStoreFormat

/// The 256-bit key that encrypts the records of one store. It prints as `<redacted>`.
public struct DataKey: Sendable, Equatable, CustomStringConvertible, Redacted {
    private let bytes: Data
    private let seal: RecordSeal

    /// Creates a key of 32 random bytes.
    /// - Throws: an error with the code `randomness_unavailable` when `random` fails.
    public init(random: RandomSource = .system) throws {
        self.init(try random.bytes(32))
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = Data(bytes)
        seal = RecordSeal(key: bytes)
    }

    /// Decodes the text of a key that a ``DataKeyHome`` keeps; `nil` unless `text` is the base64 form of 32 bytes. White space
    /// around it is ignored.
    public init?(text: Secret) {
        guard let bytes = RecordSeal.key(fromText: text.reveal()) else { return nil }
        self.init(bytes)
    }

    /// The base64 form of the key, in which a ``DataKeyHome`` keeps it.
    public var text: Secret { Secret(bytes.base64EncodedString()) }

    /// The first 16 hexadecimal digits of a SHA-256 digest over a fixed text and the key. They identify the key without
    /// revealing it.
    var identifier: String { seal.keyIdentifier }
}

extension DataKey {
    func hasSealed(_ content: Data) -> Bool { seal.hasSealed(content) }

    func seal(_ content: Data, at place: RecordSeal.Place) throws -> Data {
        try seal.seal(content, at: place)
    }

    /// Decrypts the content of the record at `place`.
    /// - Throws: ``/IdentityCore/TokenStoreError/corrupt(path:detail:)`` for content that is damaged, belongs to another
    ///   record or generation, or was encrypted with another key.
    func open(_ sealed: Data, at place: RecordSeal.Place) throws -> Data {
        do {
            return try seal.open(sealed, at: place)
        } catch .otherKey {
            throw TokenStoreError.corrupt(path: place.name, detail: "it was sealed with another key")
        } catch .broken {
            throw TokenStoreError.corrupt(path: place.name, detail: "its seal is broken")
        }
    }
}
