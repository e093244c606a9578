import Foundation

/// The note that is written before a refresh token is sent. If the process dies, the next one learns from it that the
/// token may be spent.
///
/// It refers to the generation of the account's record that brought the refresh token. Storing a result makes a new one and
/// so clears the note without a second write; what else is written of the session does not.
struct RefreshIntent: Codable, Equatable {
    /// The generation of the record that brought the refresh token (``Credential/tokensSince``).
    let generation: UInt64
    /// How often it was sent with an unknown outcome.
    let attempt: Int
    /// When it was sent first with an unknown outcome, by this machine's clock.
    let firstSentAt: Date
    /// When it was sent last, by this machine's clock.
    let sentAt: Date
    /// Identifies the token without revealing it.
    let tokenDigest: String
    /// The process that sent it, for diagnosis.
    let processID: Int32
    /// The resource that was asked for; `nil` for the session's own token.
    let resource: String?
    /// Whether its sender saw the end of the request.
    private(set) var hasEnded = false
    /// Why the token was not sent again for a while.
    private(set) var pause: RefreshPause?
    /// When it was written, by this machine's clock.
    private let writtenAt: Date

    /// The note of a request that is sent now.
    /// - Parameters:
    ///   - generation: the generation of the record that brought the refresh token.
    ///   - sentAt: now.
    ///   - token: the refresh token.
    ///   - earlier: the note of the request before, with the same token.
    ///   - resource: the resource that is asked for.
    init(
        generation: UInt64, sentAt: Date, token: Secret, after earlier: RefreshIntent? = nil, resource: String? = nil
    ) {
        (self.generation, self.resource) = (generation, resource)
        // The number comes from a file, which may hold any number.
        attempt = min(max(earlier?.attempt ?? 0, 0), 1000) + 1
        firstSentAt = earlier.flatMap { $0.attempt > 0 ? $0.firstSentAt : nil } ?? sentAt
        (self.sentAt, writtenAt) = (sentAt, sentAt)
        tokenDigest = Self.digest(of: token)
        processID = ProcessInfo.processInfo.processIdentifier
        pause = earlier?.pause
    }

    private init(
        _ note: RefreshIntent, attempt: Int, firstSentAt: Date, sentAt: Date? = nil, pause: RefreshPause?,
        hasEnded: Bool = true, at now: Date
    ) {
        generation = note.generation
        self.attempt = attempt
        self.firstSentAt = firstSentAt
        self.sentAt = sentAt ?? note.sentAt
        tokenDigest = note.tokenDigest
        (processID, resource) = (note.processID, note.resource)
        self.hasEnded = hasEnded
        self.pause = pause
        writtenAt = now
    }

    private init(_ note: RefreshIntent, shiftedBy seconds: TimeInterval) {
        (generation, attempt) = (note.generation, note.attempt)
        (firstSentAt, sentAt) = (note.firstSentAt + seconds, note.sentAt + seconds)
        (tokenDigest, processID, hasEnded) = (note.tokenDigest, note.processID, note.hasEnded)
        (resource, pause) = (note.resource, note.pause?.shifted(by: seconds))
        writtenAt = note.writtenAt + seconds
    }

    /// The note by the clock of the machine that reads it, which may differ from that of the machine that wrote it.
    /// - Parameter age: how long ago it was written; `nil` when both have one clock.
    func read(at now: Date, age: Duration?) -> RefreshIntent {
        guard let age else { return self }
        return RefreshIntent(self, shiftedBy: now.timeIntervalSince(writtenAt) - age.timeInterval)
    }

    /// The note of a request that may still be running and was sent by a clock ahead of this one, which was set back since: as
    /// if it was sent now, at the first look at it. When it was sent first is not known, so it is in no window. `nil` for
    /// every other note.
    func seenFirst(at now: Date) -> RefreshIntent? {
        guard !hasEnded, sentAt > now else { return nil }
        return RefreshIntent(
            self, attempt: attempt, firstSentAt: .distantPast, sentAt: now, pause: pause, hasEnded: false, at: now)
    }

    /// The note once the request has ended with an unknown outcome.
    func inDoubt(until pause: RefreshPause) -> RefreshIntent {
        RefreshIntent(self, attempt: attempt, firstSentAt: firstSentAt, pause: pause, at: pause.since)
    }

    /// The note once the request has ended without spending the token: it adds no doubt to what was known before it, and
    /// takes none away. An earlier request that was in doubt may still be running.
    func unspent(until pause: RefreshPause, knownBefore earlier: RefreshIntent?) -> RefreshIntent {
        RefreshIntent(
            self, attempt: earlier?.attempt ?? 0, firstSentAt: earlier?.firstSentAt ?? firstSentAt, pause: pause,
            hasEnded: earlier.map { $0.attempt == 0 || $0.hasEnded } ?? true, at: pause.since)
    }

    /// The note with a pause that a person has shortened; `nil` where there is nothing to shorten.
    func shortened(at now: Date) -> RefreshIntent? {
        guard hasEnded, let pause, case let shorter = pause.shortened(at: now), shorter != pause else { return nil }
        return RefreshIntent(self, attempt: attempt, firstSentAt: firstSentAt, pause: shorter, at: now)
    }

    /// Whether it is about the refresh token of `credential`.
    func isAbout(_ credential: Credential) -> Bool {
        credential.refreshToken.map(Self.digest)?.hasBytes(of: tokenDigest) ?? false
    }

    static func digest(of token: Secret) -> String {
        sha256(Data(token.reveal().utf8)).prefix(16).hexEncoded
    }

    /// Whether a request for `key` would come too soon after a token of this session that was sent twice: the first request may
    /// still arrive, and is taken for a theft once the successor's successor is out (``ReplayPolicy/parentAlways``). With the
    /// session's own token alone the next request comes when that is old.
    func holdsBack(_ key: TokenKey?, of session: StoredSession, at now: Date) -> Bool {
        let credential = session.credential
        guard resource != nil || key != nil || !credential.tokens.isEmpty || !credential.refusals.isEmpty else {
            return false
        }
        return attempt > 1 && sentAt.isWithin(Deadline.ofRefresh, before: now)
            && generation < session.tokensSince && generation >= credential.sessionNumber ?? 0
    }

    /// Whether the request has ended: its sender saw that, or has died a while ago, or its own time is over.
    func isOver(at now: Date, after sender: LeasePredecessor) -> Bool {
        hasEnded || !sentAt.isWithin(Self.delay(after: sender), before: now)
    }

    /// The error for callers until then.
    func error(for account: AccountID, after sender: LeasePredecessor) -> SessionError {
        .refreshPostponed(
            account,
            reason: sender == .ended
                ? "The process that was refreshing it has ended without a result."
                : "Another process was refreshing it, and may still get the response.",
            nextAttempt: sentAt + Self.delay(after: sender).timeInterval)
    }

    /// How long a request may still arrive, or be answered.
    private static func delay(after sender: LeasePredecessor) -> Duration {
        sender == .ended ? .seconds(2) : Deadline.ofRefresh
    }
}

/// The intents of a store: one record for each account, beside the account's own, and one for each further grant.
struct RefreshIntents: Sendable {
    let store: any TokenStore
    /// The further grant; `nil` for the first.
    var grant: String?

    /// An intent as it is stored.
    struct Entry {
        /// The generation of the intent's own record.
        let generation: UInt64
        let intent: RefreshIntent?
    }

    /// The stored intent, whatever generation it refers to.
    func entry(for account: AccountID, at now: Date) async throws -> Entry {
        Self.entry(in: try await store.soundRecord(for: Self.key(account, grant)), at: now)
    }

    /// The intent in its record.
    static func entry(in record: StoreRecord?, at now: Date) -> Entry {
        let intent = record?.content.flatMap { try? JSONDecoder().decode(RefreshIntent.self, from: $0) }
        return Entry(generation: record?.generation ?? 0, intent: intent?.read(at: now, age: record?.age))
    }

    /// Stores `intent` durably.
    /// - Returns: the new entry.
    func write(_ intent: RefreshIntent?, for account: AccountID, replacing entry: Entry) async throws -> Entry {
        let record = try await store.write(
            intent.map { try JSONEncoder().encode($0) }, for: Self.key(account, grant), replacing: entry.generation)
        return Entry(generation: record.generation, intent: intent)
    }

    /// The note of a further grant does not name the account.
    static func key(_ account: AccountID, _ grant: String? = nil) -> StoreKey {
        StoreKey(.refreshes, grant ?? account.id)
    }

    /// The notes of the further grants of a session.
    static func keys(ofGrants session: Credential?) -> [StoreKey] {
        session?.grants.map { StoreKey(.refreshes, $0.id) } ?? []
    }
}
