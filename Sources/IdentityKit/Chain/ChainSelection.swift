import Foundation

/// The account that a chain has chosen. It is kept in the shared store, so that an app, its extensions and its tools use the
/// same account. Every change is a compare-and-swap on the record's generation.
struct ChainSelection: Sendable {
    struct Snapshot {
        let generation: UInt64
        let choice: Choice?
    }

    struct Choice: Codable, Equatable {
        let provider: String
        let account: AccountID
        /// The ended session that the account is a fallback for, until the user decides.
        var fallback: SessionFallback?
    }

    enum Outcome {
        case chosen
        /// Another choice was stored meanwhile.
        case overtaken
        /// The choice counts for this lookup only: the store cannot be written, or it is a fallback for now.
        case unstored
    }

    private let store: any TokenStore
    private let key: StoreKey

    init(store: any TokenStore, profile: String) {
        self.store = store
        key = .selection(profile: profile)
    }

    /// The stored choice.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
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

    /// Replaces the choice with one that a lookup found, unless it has changed since `generation` was read.
    /// - Throws: ``/IdentityCore/TokenStoreError``, except for a disk that is full or read-only.
    func offer(_ choice: Choice?, replacing generation: UInt64) async throws -> Outcome {
        if choice?.fallback?.isForNow == true { return .unstored }
        do {
            try await store.write(encode(choice), for: key, replacing: generation)
            return .chosen
        } catch TokenStoreError.conflict {
            return .overtaken
        } catch TokenStoreError.notWritable, TokenStoreError.full {
            return .unstored
        }
    }

    /// Replaces the choice whatever it is, after a decision of the user.
    /// - Returns: the former choice.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    @discardableResult
    func set(_ choice: Choice) async throws -> Choice? {
        try await update { _ in choice }
    }

    /// Removes `account` as the chosen one, and as the one that the chosen account is a fallback for. Without the store's key
    /// the choice stays, and is one of an account without a session.
    /// - Returns: whether it was the chosen one.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func clear(_ account: AccountID) async throws -> Bool {
        do {
            let previous = try await update { choice in
                guard var choice, choice.account != account else { return nil }
                if choice.fallback?.from == account { choice.fallback = nil }
                return choice
            }
            return previous?.account == account
        } catch let error as TokenStoreError where error.isAboutKey {
            return false
        }
    }

    private func update(_ decide: (Choice?) -> Choice?) async throws -> Choice? {
        try Task.checkCancellation()
        var current: Choice?
        try await store.update(key) { record in
            // Content that cannot be read counts as no choice, so that a sign-in replaces it.
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

extension StoreKey {
    /// The record of the account that the chain of `profile` has chosen.
    package static func selection(profile: String) -> StoreKey { StoreKey(.selections, profile) }
}
