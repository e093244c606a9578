import Foundation

/// The content of a record: the account that the chain of a profile has chosen, or the account of a realm that signed
/// in last. The record is in the shared store, so that an app, its extensions and its tools use the same account. Every
/// change is a compare-and-swap on the record's generation.
package struct CurrentAccount: Codable, Equatable, Sendable {
    package let account: AccountID
    /// Name of the provider that the account came from; only in the record of a profile.
    package var provider: String?
    /// The account that this account replaces, and the reason; `nil` when this account is no fallback. Only the record of
    /// a profile contains a fallback, and only for an ended session.
    package var fallback: SessionFallback?
    /// Time of the sign-in, which distinguishes it from other sign-ins to the account; only in the record of a realm.
    package var signedInAt: Date?
    /// Set when a lookup found that nobody in the realm has a session. The value is the generation of the account's session
    /// record at that time; zero if there was none. If the session record has another generation later, the account may have
    /// signed in again. `nil` after a sign-in, and in the record of a profile.
    package var withoutSession: UInt64?

    package init(_ account: AccountID, of provider: String, fallback: SessionFallback? = nil) {
        (self.account, self.provider, self.fallback) = (account, provider, fallback)
    }

    package init(_ account: AccountID, signedInAt: Date) {
        (self.account, self.signedInAt) = (account, signedInAt)
    }

    package init(_ account: AccountID, withoutSession generation: UInt64) {
        (self.account, withoutSession) = (account, generation)
    }

    /// Decodes the content of a record.
    /// - Throws: `DecodingError` when the content is malformed, names no account, or has a date before the distant past or
    ///   after the year 9999.
    package init(reading content: Data) throws {
        try JSONNesting.check(content)
        self = try JSONDecoder().decode(CurrentAccount.self, from: content)
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        account = try members.decode(AccountID.self, forKey: .account)
        provider = try members.decodeIfPresent(String.self, forKey: .provider)
        fallback = try members.decodeIfPresent(SessionFallback.self, forKey: .fallback)
        signedInAt = try members.decodeIfPresent(Date.self, forKey: .signedInAt)
        if signedInAt?.isOnCalendar == false {
            throw DecodingError.dataCorruptedError(
                forKey: .signedInAt, in: members, debugDescription: "It is no date.")
        }
        withoutSession = try? members.decodeIfPresent(UInt64.self, forKey: .withoutSession)
    }

    /// Encodes the content of the record.
    /// - Throws: never in practice, because every member is text, a number or a date.
    package func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(self)
    }
}

extension StoreKey {
    /// The record of the account that the chain of `profile` has chosen.
    package static func currentAccount(ofProfile profile: String) -> StoreKey {
        StoreKey(.currentAccounts, "profile \(profile)")
    }

    /// The record of the account of `realm` that signed in last.
    package static func currentAccount(ofRealm realm: String) -> StoreKey {
        StoreKey(.currentAccounts, "realm \(realm)")
    }
}

/// Reads and replaces the current account of a profile.
struct ChosenAccount: Sendable {
    struct Snapshot {
        let generation: UInt64
        let choice: CurrentAccount?
    }

    /// Whether a choice that a lookup offered was stored.
    enum Outcome {
        /// The choice is stored.
        case chosen
        /// A choice of another task or process was stored first.
        case overtaken
        /// The choice counts for this lookup only, because the store is full or cannot be written, or the account is a
        /// temporary fallback.
        case unstored
    }

    let key: StoreKey
    private let store: any TokenStore
    /// The generation of the record when it was read last, up to that of the last write after it.
    private var own = Locked<ClosedRange<UInt64>>(0...0)

    init(ofProfile profile: String, in store: any TokenStore) {
        (key, self.store) = (.currentAccount(ofProfile: profile), store)
    }

    /// Returns a value for one look-up, which shares its ``generations`` with no other.
    func forOneLookUp() -> ChosenAccount {
        var chosen = self
        chosen.own = Locked(0...0)
        return chosen
    }

    /// The generations that the record had in this look-up, since it was read last.
    var generations: ClosedRange<UInt64> { own.withLock { $0 } }

    /// Reads the stored choice with its generation.
    /// - Throws: ``TokenStoreError``.
    func read() async throws -> Snapshot {
        let record = try await store.record(for: key)
        let generation = record?.generation ?? 0
        own.withLock { $0 = generation...generation }
        guard let record else { return Snapshot(generation: 0, choice: nil) }
        do {
            return Snapshot(
                generation: record.generation, choice: try record.content.map(CurrentAccount.init(reading:)))
        } catch {
            throw TokenStoreError.corrupt(path: "\(key.collection.rawValue)/\(key.name)", detail: "it names no account")
        }
    }

    /// Stores a choice that a lookup found, or removes the stored choice if `choice` is `nil`. Does nothing when the
    /// record no longer has the generation `generation`, or the choice is a fallback for only one lookup.
    /// - Throws: ``TokenStoreError``, except when the record has changed, the disk is full, or the store cannot be
    ///   written; ``Outcome`` reports these.
    func offer(_ choice: CurrentAccount?, replacing generation: UInt64) async throws -> Outcome {
        if choice?.fallback?.isForNow == true { return .unstored }
        do {
            let record = try await store.write(choice?.encoded(), for: key, replacing: generation)
            own.withLock { $0 = min($0.lowerBound, record.generation)...record.generation }
            return .chosen
        } catch TokenStoreError.conflict {
            return .overtaken
        } catch TokenStoreError.notWritable, TokenStoreError.full {
            return .unstored
        }
    }

    /// Replaces the choice unconditionally, after a decision of the user.
    /// - Returns: the former choice.
    /// - Throws: ``TokenStoreError``, or `CancellationError`.
    func set(_ choice: CurrentAccount) async throws -> CurrentAccount? {
        try await update { _ in choice }
    }

    /// Removes the choice if it is `account`. If the chosen account is a fallback for `account`, the choice stays, but
    /// is no longer a fallback. Without the store's encryption key the record cannot be read, so it stays, even if it
    /// names an account that has no session.
    /// - Returns: whether `account` was the chosen account; `false` without the encryption key.
    /// - Throws: ``TokenStoreError``, or `CancellationError`.
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

    private func update(_ decide: (CurrentAccount?) -> CurrentAccount?) async throws -> CurrentAccount? {
        try Task.checkCancellation()
        var current: CurrentAccount?
        try await store.update(key, settingDamagedAside: true) { record in
            // Content that cannot be read counts as no choice, so that a sign-in replaces it.
            current = record?.content.flatMap { try? CurrentAccount(reading: $0) }
            let next = decide(current)
            if next == current, next != nil || record?.content == nil { return .keep }
            return .replace(try next?.encoded())
        }
        return current
    }
}
