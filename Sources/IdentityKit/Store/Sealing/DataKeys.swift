import Foundation
import IdentityStoreFormat

/// The keys of an encrypted store: the current one encrypts, and all of them decrypt. A store has several while its key
/// is being replaced.
///
/// 1. Add the new key behind the old one, on every machine.
/// 2. Put the new key first, on every machine.
/// 3. Run `identity store rekey`, which encrypts with the new key what the old one has encrypted.
/// 4. Remove the old key.
public struct DataKeys: Sendable, Equatable {
    /// The key that encrypts.
    public let current: DataKey
    /// Further keys that only decrypt.
    package let others: [DataKey]

    /// Makes keys of which only `current` encrypts.
    public init(_ current: DataKey, others: [DataKey] = []) {
        self.current = current
        self.others = others
    }

    /// Parses keys as a home keeps them, separated by white space; `nil` unless each is the base64 form of 32 bytes.
    package init?(text: Secret) {
        let words = text.reveal().split(whereSeparator: \.isWhitespace)
        let keys = words.compactMap { DataKey(text: Secret(String($0))) }
        guard let current = keys.first, keys.count == words.count else { return nil }
        self.init(current, others: Array(keys.dropFirst()))
    }

    private var all: [DataKey] { [current] + others }

    func contain(_ identifier: String) -> Bool { all.contains { $0.identifier == identifier } }

    /// Decrypts the content of the record at `place`.
    /// - Returns: `nil` when it was encrypted with none of these keys.
    /// - Throws: `TokenStoreError.corrupt` for a content that was changed or moved.
    func open(_ sealed: Data, at place: RecordSeal.Place) throws -> Data? {
        guard let key = all.first(where: { $0.hasSealed(sealed) }) else { return nil }
        return try key.open(sealed, at: place)
    }
}
