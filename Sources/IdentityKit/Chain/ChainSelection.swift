import Foundation

/// The account a chain has chosen, kept in the shared store, so that an app, its extensions and its tools act as the same
/// person.
///
/// Whoever decided on an old choice loses: every change is a compare-and-swap on the record's generation.
struct ChainSelection: Sendable {
    /// What was read: the choice, if there is one, and the generation to replace.
    struct Snapshot {
        let generation: UInt64
        let choice: Choice?
    }

    /// A choice: the account, and the name of the provider it came from.
    struct Choice: Codable, Equatable {
        let provider: String
        let account: AccountID
        /// Whom the account stands in for, until somebody decides.
        var fallback: SessionFallback?

        private enum CodingKeys: String, CodingKey {
            case provider
            case account
            case fallback = "instead"
        }
    }

    /// What became of a choice that a look came to.
    enum Outcome {
        /// It is stored.
        case chosen
        /// Somebody else has chosen since.
        case overtaken
        /// Nothing can be written here. What was found counts for this look, and the next one finds it anew.
        case unstored
    }

    private let store: any TokenStore
    private let key: StoreKey

    init(store: any TokenStore, profile: String) {
        self.store = store
        key = .selection(profile: profile)
    }

    /// The choice as it is stored.
    /// - Throws: ``TokenStoreError`` when that cannot be known.
    func read() async throws -> Snapshot {
        guard let record = try await store.record(for: key) else { return Snapshot(generation: 0, choice: nil) }
        guard let content = record.content else { return Snapshot(generation: record.generation, choice: nil) }
        do {
            let choice = try JSONDecoder().decode(Choice.self, from: content)
            return Snapshot(generation: record.generation, choice: choice)
        } catch {
            throw TokenStoreError.corrupt(path: "\(key.collection.rawValue)/\(key.name)", detail: "it names no account")
        }
    }

    /// Replaces the choice, as a look does that nobody ordered, unless somebody else has since `generation` was read. A
    /// disk that is full, or can only be read, is no reason to find nobody.
    /// - Throws: ``TokenStoreError`` of any other kind.
    func offer(_ choice: Choice?, replacing generation: UInt64) async throws -> Outcome {
        do {
            try await store.write(encode(choice), for: key, replacing: generation)
            return .chosen
        } catch TokenStoreError.conflict {
            return .overtaken
        } catch TokenStoreError.notWritable, TokenStoreError.full {
            return .unstored
        }
    }

    /// Replaces the choice whatever it is, for a decision of the user: it wins over what a walk found.
    /// - Returns: the choice before.
    /// - Throws: ``TokenStoreError``.
    @discardableResult
    func set(_ choice: Choice) async throws -> Choice? {
        try await update { _ in choice }
    }

    /// Forgets `account` if it is the chosen one, and that another stands in for it.
    /// - Returns: whether it was the chosen one.
    /// - Throws: ``TokenStoreError``.
    func clear(_ account: AccountID) async throws -> Bool {
        let previous = try await update { choice in
            guard var choice, choice.account != account else { return nil }
            if choice.fallback?.from == account { choice.fallback = nil }
            return choice
        }
        return previous?.account == account
    }

    private func update(_ decide: (Choice?) -> Choice?) async throws -> Choice? {
        try Task.checkCancellation()
        var current: Choice?
        try await store.update(key) { record in
            // A content that cannot be read holds no choice worth keeping, and a sign-in is how it is mended.
            current = record?.content.flatMap { try? JSONDecoder().decode(Choice.self, from: $0) }
            let next = decide(current)
            if next == current, next != nil || record?.content == nil { return .keep }
            return .replace(try encode(next))
        }
        return current
    }

    private func encode(_ choice: Choice?) throws -> Data? {
        guard let choice else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(choice)
    }
}

extension StoreKey.Collection {
    /// One record per profile: the account its chain has chosen.
    public static let selections = StoreKey.Collection(rawValue: "selections")
}

extension StoreKey {
    /// The record of the account that the chain of `profile` has chosen.
    package static func selection(profile: String) -> StoreKey { StoreKey(.selections, profile) }
}
