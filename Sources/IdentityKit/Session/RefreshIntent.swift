import Foundation

/// The note that is written before a refresh token is sent. If the process dies, the next one learns from it that the
/// token may be spent.
///
/// It refers to one generation of the account's record. Storing the result makes a new generation and so clears the note
/// without a second write.
struct RefreshIntent: Codable, Equatable {
    /// The generation of the record whose refresh token was sent.
    let generation: UInt64
    /// How often it was sent with an unknown outcome.
    private(set) var attempt: Int
    /// When it was sent last, by this machine's clock.
    let sentAt: Date
    /// Identifies the token without revealing it.
    let tokenDigest: String
    /// The process that sent it, for diagnosis.
    let processID: Int32
    /// The last error response of the backend that did not end the session.
    var refusal: RefreshRefusal?

    init(generation: UInt64, attempt: Int, sentAt: Date, token: Secret, refusal: RefreshRefusal? = nil) {
        self.generation = generation
        self.attempt = attempt
        self.sentAt = sentAt
        tokenDigest = sha256(Data(token.reveal().utf8)).prefix(16).hexEncoded
        processID = ProcessInfo.processInfo.processIdentifier
        self.refusal = refusal
    }

    /// The note after the response `refusal`. The request adds no doubt to what was known before it.
    func refused(with refusal: RefreshRefusal, knownBefore earlier: RefreshIntent?) -> RefreshIntent {
        var intent = self
        intent.attempt = earlier?.attempt ?? 0
        intent.refusal = refusal
        return intent
    }
}

/// The intents of a store: one record for each account, beside the account's own.
struct RefreshIntents: Sendable {
    let store: any TokenStore

    /// An intent as it is stored.
    struct Entry {
        /// The generation of the intent's own record.
        let generation: UInt64
        let intent: RefreshIntent?
    }

    /// The stored intent, whatever generation it refers to.
    func entry(for account: AccountID) async throws -> Entry {
        Self.entry(in: try await store.soundRecord(for: Self.key(account)))
    }

    /// The intent in its record.
    static func entry(in record: StoreRecord?) -> Entry {
        let intent = record?.content.flatMap { try? JSONDecoder().decode(RefreshIntent.self, from: $0) }
        return Entry(generation: record?.generation ?? 0, intent: intent)
    }

    /// Stores `intent` durably.
    /// - Returns: the new entry.
    func write(_ intent: RefreshIntent?, for account: AccountID, replacing entry: Entry) async throws -> Entry {
        let record = try await store.write(
            intent.map { try JSONEncoder().encode($0) }, for: Self.key(account), replacing: entry.generation)
        return Entry(generation: record.generation, intent: intent)
    }

    static func key(_ account: AccountID) -> StoreKey {
        StoreKey(.refreshes, account.id)
    }
}
