import Foundation

/// A note that is stored before a refresh token is sent. If the process dies, other processes learn from the note that
/// the token may be spent.
///
/// The note names the generation (version number) that the account's record had when it first contained the current
/// tokens. New tokens are stored with a new generation, so storing them makes the note obsolete without a second write.
/// Other writes to the session leave the note valid.
struct RefreshIntent: Codable, Equatable {
    /// Generation of the record when it first contained the refresh token with its access token, or the counter of a
    /// further grant (``Credential/tokensSince``).
    let generation: UInt64
    /// Number of times that the token was sent with an unknown outcome; 0 when all outcomes are known.
    let attempt: Int
    /// First time that the token was sent with an unknown outcome, by this machine's clock.
    let firstSentAt: Date
    /// Last time that the token was sent, by this machine's clock.
    let sentAt: Date
    /// Digest that identifies the token without revealing it.
    let tokenDigest: String
    /// Identifier of the process that sent the token, for diagnosis.
    let processID: Int32
    /// The requested resource; `nil` for the session's own token, and for a request other than a refresh.
    let resource: String?
    /// Whether the sender saw the request end.
    private(set) var hasEnded = false
    /// The pause before the token may be sent again; `nil` for none.
    private(set) var pause: RefreshPause?
    /// When the note was written, by this machine's clock.
    private let writtenAt: Date

    /// The note of a request that is about to be sent.
    /// - Parameters:
    ///   - generation: the value of ``StoredSession/tokensSince``.
    ///   - sentAt: the current time.
    ///   - token: the refresh token.
    ///   - earlier: the note of the previous request with the same token; `nil` for none.
    ///   - resource: the requested resource; `nil` for the session's own token.
    init(
        generation: UInt64, sentAt: Date, token: Secret, after earlier: RefreshIntent? = nil, resource: String? = nil
    ) {
        (self.generation, self.resource) = (generation, resource)
        // Limit the number, because the stored note may contain any number.
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

    /// The note with its dates converted to the clock of this machine. The clock of the machine that wrote the note may
    /// differ.
    /// - Parameter age: the time since the note was written, by the store's clock; `nil` leaves the dates unchanged.
    func read(at now: Date, age: Duration?) -> RefreshIntent {
        guard let age else { return self }
        return RefreshIntent(self, shiftedBy: now.timeIntervalSince(writtenAt) - age.timeInterval)
    }

    /// The note with `now` as its sending time, if the stored sending time lies in the future because the clock was set
    /// back. The time of the first sending is then unknown too, so it becomes the distant past, and the time of
    /// ``ReplayPolicy/window(_:)`` counts as over. `nil` if the stored sending time is not in the future, or the
    /// request has ended.
    func seenFirst(at now: Date) -> RefreshIntent? {
        guard !hasEnded, sentAt > now else { return nil }
        return RefreshIntent(
            self, attempt: attempt, firstSentAt: .distantPast, sentAt: now, pause: pause, hasEnded: false, at: now)
    }

    /// The note after the request has ended with an unknown outcome, with the pause before the next attempt.
    func inDoubt(until pause: RefreshPause) -> RefreshIntent {
        RefreshIntent(self, attempt: attempt, firstSentAt: firstSentAt, pause: pause, at: pause.since)
    }

    /// Returns the note for a request that has ended without spending the token. If an earlier request with the same token
    /// may still be running, the note continues to say so.
    /// - Parameters:
    ///   - pause: the pause before the next attempt.
    ///   - earlier: the note of the previous request with the same token; `nil` for none.
    func unspent(until pause: RefreshPause, knownBefore earlier: RefreshIntent?) -> RefreshIntent {
        RefreshIntent(
            self, attempt: earlier?.attempt ?? 0, firstSentAt: earlier?.firstSentAt ?? firstSentAt, pause: pause,
            hasEnded: earlier.map { $0.attempt == 0 || $0.hasEnded } ?? true, at: pause.since)
    }

    /// The note with `now` as the time of its writing, for storing it again. Storing resets the age of the record, so
    /// ``read(at:age:)`` would otherwise move the dates of the note forward.
    func again(at now: Date) -> RefreshIntent {
        RefreshIntent(self, attempt: attempt, firstSentAt: firstSentAt, pause: pause, hasEnded: hasEnded, at: now)
    }

    /// The note with its pause shortened at a person's request; `nil` if there is no pause that can be shortened, or the
    /// request has not ended.
    func shortened(at now: Date) -> RefreshIntent? {
        guard hasEnded, let pause, case let shorter = pause.shortened(at: now), shorter != pause else { return nil }
        return RefreshIntent(self, attempt: attempt, firstSentAt: firstSentAt, pause: shorter, at: now)
    }

    /// Whether the note is about the refresh token of `credential`.
    func isAbout(_ credential: Credential) -> Bool {
        credential.refreshToken.map(Self.digest)?.hasBytes(of: tokenDigest) ?? false
    }

    static func digest(of token: Secret) -> String {
        sha256(Data(token.reveal().utf8)).prefix(16).hexEncoded
    }

    /// Whether a request for `key` would come too soon: an earlier refresh token of this session was sent more than once, and
    /// the last time was less than 30 seconds ago. The first of these requests may still arrive. If the server has issued two
    /// newer refresh tokens by then, it treats the late request as theft (``ReplayPolicy/parentAlways``). `false` if no token
    /// for a resource is stored, was refused or is requested, because refreshes of the session's own token are further apart.
    /// - Parameter key: the resource to request; `nil` for the session's own token.
    func holdsBack(_ key: TokenKey?, of session: StoredSession, at now: Date) -> Bool {
        let credential = session.credential
        guard resource != nil || key != nil || !credential.tokens.isEmpty || !credential.refusals.isEmpty else {
            return false
        }
        return attempt > 1 && sentAt.isWithin(Deadline.ofRefresh, before: now)
            && generation < session.tokensSince && generation >= credential.sessionNumber ?? 0
    }

    /// Whether the request has certainly ended: its sender saw the end, or it was sent more than 30 seconds ago, or
    /// more than 2 seconds ago by a process that no longer runs.
    func isOver(at now: Date, hasSenderEnded: Bool) -> Bool {
        hasEnded || !sentAt.isWithin(Self.delay(hasSenderEnded), before: now)
    }

    /// The error for callers until the request has ended.
    func error(for account: AccountID, hasSenderEnded: Bool) -> SessionError {
        .refreshPostponed(
            account,
            reason: hasSenderEnded
                ? "The process that was refreshing it has ended without a result."
                : "Another process was refreshing it, and may still get the response.",
            nextAttempt: sentAt + Self.delay(hasSenderEnded).timeInterval)
    }

    /// The time after sending during which a request may still arrive or be answered.
    private static func delay(_ hasSenderEnded: Bool) -> Duration {
        hasSenderEnded ? .seconds(2) : Deadline.ofRefresh
    }
}

/// Reads and writes the stored intents. Each account has one for the first grant of its session, and one for each
/// further grant (``Grant``).
struct RefreshIntents: Sendable {
    let store: any TokenStore
    /// Identifier of the further grant; `nil` for the session's first grant.
    var grant: String?

    /// A stored intent with the generation of its record.
    struct Entry {
        /// The generation of the intent's own record, not of the session's.
        let generation: UInt64
        let intent: RefreshIntent?
    }

    /// The stored intent, even if it is about an earlier refresh token than the current one.
    func entry(for account: AccountID, at now: Date) async throws -> Entry {
        Self.entry(in: try await store.soundRecord(for: Self.key(account, grant)), at: now)
    }

    /// Reads the intent from its record. The entry has no intent if the record is missing, erased or unreadable.
    static func entry(in record: StoreRecord?, at now: Date) -> Entry {
        let intent = record?.content.flatMap { try? JSONDecoder().decode(RefreshIntent.self, from: $0) }
        return Entry(generation: record?.generation ?? 0, intent: intent?.read(at: now, age: record?.age))
    }

    /// Stores `intent` durably; `nil` erases the stored one.
    /// - Returns: the new entry.
    func write(_ intent: RefreshIntent?, for account: AccountID, replacing entry: Entry) async throws -> Entry {
        let record = try await store.write(
            intent.map { try JSONEncoder().encode($0) }, for: Self.key(account, grant), replacing: entry.generation)
        return Entry(generation: record.generation, intent: intent)
    }

    /// Corrects a note whose sending time lies in the future, because the clock was set back, and stores it
    /// (``RefreshIntent/seenFirst(at:)``). If the corrected note cannot be stored, the next process that reads the note
    /// corrects it again.
    /// - Returns: the entry with the corrected note, stored or not; `entry` itself if there is nothing to correct.
    func correcting(_ entry: Entry, for account: AccountID, at now: Date) async -> Entry {
        guard let note = entry.intent?.seenFirst(at: now) else { return entry }
        let written = try? await write(note, for: account, replacing: entry)
        return written ?? Entry(generation: entry.generation, intent: note)
    }

    /// The store's key of a ``RefreshIntent``: the account, or for a further grant of its session the grant's identifier.
    static func key(_ account: AccountID, _ grant: String? = nil) -> StoreKey {
        StoreKey(.refreshes, grant ?? account.id)
    }

    /// The keys of the notes of a session's further grants.
    static func keys(ofGrants session: Credential?) -> [StoreKey] {
        session?.grants.map { StoreKey(.refreshes, $0.id) } ?? []
    }
}
