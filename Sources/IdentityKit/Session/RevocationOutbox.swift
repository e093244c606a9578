import Foundation

/// The sessions that were signed out here while their server could not be told. They wait in the store for a day, and are
/// revoked by the first process that reaches the server.
///
/// Each record is a slot, named by a number, so that there are never more of them, and an erased one is used again. Who
/// sends a revocation first writes that the next try is a minute later. Of several processes the store lets one write that,
/// so one sends, and none holds a lock meanwhile.
final class RevocationOutbox: Sendable {
    /// A session to be revoked, with everything that its backend needs for that, and no secret of the client.
    private struct Entry: Codable {
        let realm: String
        let account: AccountID
        let credential: Credential
        let endsAt: Date
        var nextAttempt: Date
    }

    /// The most revocations that wait.
    private static let limit = 1000
    /// The most that are sent at once.
    private static let batch = 16
    /// How long one waits, in seconds.
    private static let lifetime: TimeInterval = 24 * 60 * 60
    /// The time between two tries, in seconds.
    private static let pause: TimeInterval = 60

    private let records: SessionRecords
    private let monitor: RefreshMonitor
    private let areIndependent: SessionBackend.Independence
    private let request: SessionBackend.Revoke
    private let round = Locked<(startedAt: Date, task: Task<Void, Never>)?>(nil)

    private var time: TimeSource { records.time }

    /// The outbox of a backend that can revoke; `nil` for another one.
    init?(_ backend: SessionBackend, records: SessionRecords, monitor: RefreshMonitor) {
        guard let revoke = backend.revoke else { return nil }
        self.records = records
        self.monitor = monitor
        areIndependent = backend.areIndependent
        request = revoke
    }

    /// Revokes a session within five seconds, or keeps it for later.
    /// - Returns: why it is not revoked yet.
    func revoke(_ credential: Credential, of account: AccountID) async -> (any Error)? {
        do {
            try await send(credential)
            return nil
        } catch {
            // Also when the caller is cancelled, as by Ctrl-C.
            await Task { await keep(credential, of: account, because: error) }.value
            return error
        }
    }

    /// Tries what waits, in the background, at most once a minute.
    /// - Returns: the last round, which may have ended.
    @discardableResult
    func deliver() -> Task<Void, Never> {
        let now = time.now
        return round.withLock { round in
            if let round, (0..<Self.pause).contains(now.timeIntervalSince(round.startedAt)) { return round.task }
            let task = Task.detached { [self] in await sendAll() }
            round = (now, task)
            return task
        }
    }

    // MARK: Sending

    private func send(_ credential: Credential) async throws {
        let limit = Duration.seconds(5)
        try await Deadline.run(
            limit, on: time, orThrow: TransportError.timedOut(host: "Its server", after: limit)
        ) { [request] in
            var failure: (any Error)?
            for grant in credential.grantsApart {
                do { try await request(grant) } catch { failure = failure ?? error }
            }
            if let failure { throw failure }
        }
    }

    /// Whether `error` says nothing of the server's own, so that it may pass.
    private static func mayPass(_ error: any Error) -> Bool {
        error.identityFailureClass == .transient || error is TransportError
    }

    private func sendAll() async {
        guard let listing = try? await records.store.records(in: .revocations) else { return }
        let now = time.now
        var due: [(record: StoreRecord, entry: Entry)] = []
        for record in listing.records {
            guard let content = record.content else { continue }
            guard let entry = try? JSONDecoder().decode(Entry.self, from: content), entry.endsAt > now else {
                await erase(record, because: .expired)
                continue
            }
            // A time that is further away was written by a clock that was ahead.
            let isDue = entry.nextAttempt <= now || entry.nextAttempt > now + Self.pause
            guard isDue, entry.realm.hasBytes(of: records.realm), records.origin.owns(entry.credential) else {
                continue
            }
            due.append((record, entry))
        }
        due.sort { $0.entry.nextAttempt < $1.entry.nextAttempt }
        await withTaskGroup(of: Void.self) { group in
            for (record, entry) in due.prefix(Self.batch) { group.addTask { await self.send(entry, of: record) } }
        }
    }

    private func send(_ entry: Entry, of record: StoreRecord) async {
        guard let (_, session) = try? await records.lookUp(entry.account) else { return }
        // A server may end all sessions of a person and a client as one (RFC 7009 section 2.1).
        if let current = session?.credential, !areIndependent(entry.credential, current) {
            return await erase(record, because: .replaced)
        }
        var claimed = entry
        claimed.nextAttempt = time.now + Self.pause
        guard let content = try? JSONEncoder().encode(claimed),
            let claim = try? await records.store.write(content, for: record.key, replacing: record.generation)
        else { return }
        do {
            try await send(entry.credential)
        } catch  where Self.mayPass(error) {
            return
        } catch {
            monitor.report(.notRevoked(entry.account, because: error))
        }
        await erase(claim)
    }

    // MARK: Keeping

    private func keep(_ credential: Credential, of account: AccountID, because error: any Error) async {
        var reason = error
        if Self.mayPass(error) {
            do {
                if try await add(credential, of: account) {
                    return monitor.report(.revocationPostponed(account, because: error))
                }
            } catch {
                reason = error
            }
        }
        monitor.report(.notRevoked(account, because: reason))
    }

    /// - Returns: whether there was a free slot.
    private func add(_ credential: Credential, of account: AccountID) async throws -> Bool {
        var kept = credential
        kept.profile = nil
        let now = time.now
        let content = try JSONEncoder().encode(
            Entry(
                realm: records.realm, account: account, credential: kept, endsAt: now + Self.lifetime,
                nextAttempt: now + Self.pause))
        guard content.count <= SessionRecord.maximumSize else {
            throw TokenStoreError.tooLarge(size: content.count, limit: SessionRecord.maximumSize)
        }
        let slots = try await records.store.records(in: .revocations).records.map { ($0.key.name, $0) }
        let known = Dictionary(slots) { first, _ in first }
        let free = (0..<Self.limit).map(String.init).filter { known[$0]?.content == nil }
        // A name near the beginning, so that the listing stays short; any of those, because others choose at the same
        // time.
        for name in free.prefix(64).shuffled() + free.dropFirst(64) {
            do {
                let key = StoreKey(.revocations, name)
                try await records.store.write(content, for: key, replacing: known[name]?.generation ?? 0)
                return true
            } catch TokenStoreError.conflict {}
        }
        return false
    }

    /// Erases an entry, unless somebody else has changed it.
    private func erase(_ record: StoreRecord, because reason: UnsentRevocationError? = nil) async {
        guard (try? await records.store.write(nil, for: record.key, replacing: record.generation)) != nil,
            let reason, let entry = record.content.flatMap({ try? JSONDecoder().decode(Entry.self, from: $0) })
        else { return }
        monitor.report(.notRevoked(entry.account, because: reason))
    }
}

/// Why a revocation that waited is not sent any more.
enum UnsentRevocationError: String, IdentityFailure {
    case expired = "revocation_expired"
    case replaced = "revocation_replaced"

    var failureCode: String { rawValue }
    var failureClass: FailureClass { .definitive }

    var message: String {
        switch self {
        case .expired: "Its server could not be told for a day."
        case .replaced: "Its person has signed in again, and the server may take both sessions for one."
        }
    }
}
