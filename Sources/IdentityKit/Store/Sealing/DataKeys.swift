import Foundation
import IdentityStoreFormat

/// The keys of an encrypted store, at least one: the current one encrypts, and all of them decrypt.
package struct DataKeys: Sendable, Equatable {
    /// The key that encrypts every record that is written.
    package let current: DataKey
    /// Keys that only decrypt, such as the former key.
    package let others: [DataKey]

    /// Combines the key that encrypts with keys that only decrypt.
    package init(_ current: DataKey, others: [DataKey] = []) {
        self.current = current
        self.others = others
    }

    /// Takes the keys of a ``DataKeyHome``, the current key first; `nil` when there are none.
    init?(_ keys: [DataKey]) {
        guard let current = keys.first else { return nil }
        self.init(current, others: Array(keys.dropFirst()))
    }

    /// Parses keys separated by white space, the current key first; `nil` unless there is at least one key and each is the
    /// base64 form of 32 bytes.
    package init?(text: Secret) {
        let words = text.reveal().split(whereSeparator: \.isWhitespace)
        let keys = words.compactMap { DataKey(text: Secret(String($0))) }
        guard keys.count == words.count else { return nil }
        self.init(keys)
    }

    var all: [DataKey] { [current] + others }

    func contain(_ identifier: String) -> Bool { all.contains { $0.identifier == identifier } }

    /// Decrypts the content of the record at `place`.
    /// - Returns: `nil` when it was encrypted with none of these keys.
    /// - Throws: `TokenStoreError.corrupt` for content that was changed or moved to another record.
    func open(_ sealed: Data, at place: RecordSeal.Place) throws -> Data? {
        guard let key = all.first(where: { $0.hasSealed(sealed) }) else { return nil }
        return try key.open(sealed, at: place)
    }
}
