import Foundation
import IdentityStoreFormat

/// The keys of a sealed store: one seals, and all of them open. A store has several while its key is replaced.
///
/// 1. Add the new key behind the old one, on every machine.
/// 2. Put the new key first, on every machine.
/// 3. Run `identity store rekey`, which seals with the new key what the old one has sealed.
/// 4. Take the old key away.
public struct DataKeys: Sendable, Equatable {
    /// The key that seals.
    public let current: DataKey
    /// Further keys that open.
    package let others: [DataKey]

    /// Keys, of which the first one seals.
    public init(_ current: DataKey, others: [DataKey] = []) {
        self.current = current
        self.others = others
    }

    /// Keys as a home keeps them, separated by white space; `nil` unless each is the base64 form of 32 bytes.
    package init?(text: Secret) {
        let words = text.reveal().split(whereSeparator: \.isWhitespace)
        let keys = words.compactMap { DataKey(text: Secret(String($0))) }
        guard let current = keys.first, keys.count == words.count else { return nil }
        self.init(current, others: Array(keys.dropFirst()))
    }

    private var all: [DataKey] { [current] + others }

    func contain(_ identifier: String) -> Bool { all.contains { $0.identifier == identifier } }

    /// Opens a content from its place.
    /// - Returns: `nil` when a key sealed it that is not among these.
    /// - Throws: `TokenStoreError.corrupt` for a content that was changed or moved.
    func open(_ sealed: Data, at place: RecordSeal.Place) throws -> Data? {
        guard let key = all.first(where: { $0.hasSealed(sealed) }) else { return nil }
        return try key.open(sealed, at: place)
    }
}
