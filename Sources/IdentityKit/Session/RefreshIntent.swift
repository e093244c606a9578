import Foundation

/// The note written before a refresh token is sent: should this process die, the next one knows that the token may be
/// spent instead of guessing.
///
/// It speaks of one generation of the account's record and is void once that has moved on, so a stored result clears it
/// without a second write.
struct RefreshIntent: Codable, Equatable {
    /// The generation of the record whose refresh token was sent.
    let generation: UInt64
    /// How often it was sent without anybody knowing what became of it.
    private(set) var attempt: Int
    /// When it was sent last, on this machine's clock.
    let sentAt: Date
    /// Tells the token from others, and nothing about it.
    let tokenDigest: String
    /// Who sent it, for a person who looks for the reason.
    let processID: Int32
    /// How the backend turned it away last, when that did not end the session.
    var refusal: RefreshRefusal?

    init(generation: UInt64, attempt: Int, sentAt: Date, token: Secret, refusal: RefreshRefusal? = nil) {
        self.generation = generation
        self.attempt = attempt
        self.sentAt = sentAt
        tokenDigest = sha256(Data(token.reveal().utf8)).prefix(16).hexEncoded
        processID = ProcessInfo.processInfo.processIdentifier
        self.refusal = refusal
    }

    /// The note of a request that was answered with `refusal`: no more in doubt than before it was sent.
    func answered(with refusal: RefreshRefusal, knownBefore earlier: RefreshIntent?) -> RefreshIntent {
        var intent = self
        intent.attempt = earlier?.attempt ?? 0
        intent.refusal = refusal
        return intent
    }

    /// Whether the token was sent at most `window` ago. A clock that was set back answers no.
    func wasSent(within window: Duration, of now: Date) -> Bool {
        let age = now.timeIntervalSince(sentAt)
        return age >= 0 && age < window.timeInterval
    }
}

/// The intents of a store, one record per account beside the account's own.
struct RefreshIntents: Sendable {
    let store: any TokenStore

    /// What the next step needs to know and to replace.
    struct Entry {
        /// The generation of the intent's own record.
        let generation: UInt64
        let intent: RefreshIntent?
    }

    /// The intent that is there, whatever generation it speaks of.
    func entry(for account: AccountID) async throws -> Entry {
        let record = try await store.soundRecord(for: Self.key(account))
        let intent = record?.content.flatMap { try? JSONDecoder().decode(RefreshIntent.self, from: $0) }
        return Entry(generation: record?.generation ?? 0, intent: intent)
    }

    /// Makes `intent` durable.
    /// - Returns: the entry as it is now.
    func write(_ intent: RefreshIntent?, for account: AccountID, replacing entry: Entry) async throws -> Entry {
        let record = try await store.write(
            intent.map { try JSONEncoder().encode($0) }, for: Self.key(account), replacing: entry.generation)
        return Entry(generation: record.generation, intent: intent)
    }

    private static func key(_ account: AccountID) -> StoreKey {
        StoreKey(.refreshes, account.id)
    }
}
