import Foundation

/// Sessions that were signed out and whose server has not been told yet. Their revocations wait in the store until a
/// process reaches the server, for at most a day.
///
/// Each record is a numbered slot. An erased slot is reused, so the number of records is limited. Before a process
/// sends a revocation, it stores that the next attempt is due a minute later. The store accepts that write from only
/// one process, so only one process sends the revocation, and no lock is needed.
final class RevocationOutbox: Sendable {
    /// A session to revoke, with everything that its backend needs for the revocation, except for the client's secret.
    private struct Entry: Codable {
        let realm: String
        let account: AccountID
        let credential: Credential
        let endsAt: Date
        var nextAttempt: Date
    }

    /// The part of an entry that every version of this library writes.
    private struct Expiry: Decodable {
        let endsAt: Date
    }

    /// The records of the revocations that wait in one store.
    static let slots = (0..<1000).map { StoreKey(.revocations, String($0)) }
    /// Number of slots from which a new revocation picks, at random, the first one to try.
    private static let usualSlots = 64
    /// Largest number of revocations that one round sends, all at the same time.
    private static let batch = 16
    /// Time that a revocation waits before it is given up, in seconds.
    private static let lifetime: TimeInterval = 24 * 60 * 60
    /// Shortest time between two attempts to send a revocation, in seconds.
    private static let pause: TimeInterval = 60

    private let records: SessionRecords
    private let monitor: RefreshMonitor
    private let areIndependent: SessionBackend.Independence
    private let request: SessionBackend.Revoke
    private let round = Locked<(startedAt: Date, task: Task<Void, Never>)?>(nil)

    private var time: TimeSource { records.time }

    /// Creates the outbox of a backend; `nil` for a backend that cannot revoke sessions.
    init?(_ backend: SessionBackend, records: SessionRecords, monitor: RefreshMonitor) {
        guard let revoke = backend.revoke else { return nil }
        self.records = records
        self.monitor = monitor
        areIndependent = backend.areIndependent
        request = revoke
    }

    /// Stores the revocation of a session and its further grants, and sends it within five seconds. A revocation that fails but
    /// may succeed later stays stored. Every failure is reported to the observers: as postponed if the revocation stays stored,
    /// otherwise as not revoked.
    /// - Returns: why the session is not revoked yet; `nil` when it is.
    func revoke(_ credential: Credential, of account: AccountID) async -> (any Error)? {
        // Store the revocation before sending it, because the process may end before the response. Use separate tasks for
        // the store, so that the caller's cancellation, such as by Ctrl-C, does not stop these writes.
        let slot = await Task { try await add(credential, of: account) }.result
        let failure: (any Error)?
        do {
            try await send(credential)
            failure = nil
        } catch {
            failure = error
        }
        await Task { await finish(slot, of: account, after: failure) }.value
        return failure
    }

    /// Starts a round in the background that sends the revocations that are due, unless a round began less than a minute
    /// ago.
    /// - Returns: the task of the last round, which may have finished.
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
                do {
                    try await request(grant)
                } catch {
                    // Prefer an error that may pass, because the revocation is then kept for another attempt.
                    if failure == nil || Self.mayPass(error) { failure = error }
                }
            }
            if let failure { throw failure }
        }
    }

    /// Whether another attempt may succeed, because `error` is transient or a ``TransportError``.
    private static func mayPass(_ error: any Error) -> Bool {
        error.identityFailureClass == .transient || error is TransportError
    }

    private func sendAll() async {
        guard let listing = try? await records.store.records(in: .revocations) else { return }
        let now = time.now
        var due: [(record: StoreRecord, entry: Entry)] = []
        for record in listing.records {
            guard let content = record.content else { continue }
            guard let entry = try? JSONDecoder().decode(Entry.self, from: content) else {
                // Leave an entry that cannot be decoded to the version of this library that wrote it, until `endsAt`.
                if let end = try? JSONDecoder().decode(Expiry.self, from: content), end.endsAt <= now {
                    await erase(record)
                }
                continue
            }
            guard entry.endsAt > now else {
                await erase(record, because: .expired)
                continue
            }
            // An attempt that is planned for more than a minute from now was planned by a wrong clock, so it is due.
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
        // Do not revoke when that may end the account's current session too: a server may treat all tokens of a person
        // and a client as one grant, and revoke them together (RFC 7009 section 2.1).
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

    /// Erases the stored revocation after the first attempt to send it, unless the attempt has failed and another one
    /// may succeed. Reports a failed attempt to the observers.
    private func finish(
        _ slot: Result<StoreRecord?, any Error>, of account: AccountID, after failure: (any Error)?
    ) async {
        let mayPass = failure.map(Self.mayPass) ?? false
        let record = try? slot.get()
        if let record, !mayPass { await erase(record) }
        guard var failure else { return }
        if record != nil, mayPass { return monitor.report(.revocationPostponed(account, because: failure)) }
        if mayPass, case .failure(let error) = slot { failure = error }
        monitor.report(.notRevoked(account, because: failure))
    }

    /// Stores a revocation in a free slot.
    /// - Returns: the record of the slot; `nil` when none was free.
    private func add(_ credential: Credential, of account: AccountID) async throws -> StoreRecord? {
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
        // Try a single slot first, so that signing out many accounts does not list all slots for each account.
        let first = StoreKey(.revocations, String(Int.random(in: 0..<Self.usualSlots)))
        do {
            let record = try await records.store.record(for: first)
            if record?.content == nil {
                return try await records.store.write(content, for: first, replacing: record?.generation ?? 0)
            }
        } catch TokenStoreError.conflict {
        } catch let error as TokenStoreError where error.isAboutContent {}
        let slots = try await records.store.records(in: .revocations).records.map { ($0.key.name, $0) }
        let known = Dictionary(slots) { first, _ in first }
        let free = Self.slots.map(\.name).filter { known[$0]?.content == nil }
        // Try the first 64 free slots before the others, so that the listing stays short. Shuffle the 64 slots, because
        // other processes may choose at the same time.
        for name in free.prefix(Self.usualSlots).shuffled() + free.dropFirst(Self.usualSlots) {
            do {
                let key = StoreKey(.revocations, name)
                return try await records.store.write(content, for: key, replacing: known[name]?.generation ?? 0)
            } catch TokenStoreError.conflict {
            } catch let error as TokenStoreError where error.isAboutContent {}
        }
        return nil
    }

    /// Erases an entry, unless another process has changed it.
    /// - Parameter reason: why the session is not revoked, to be reported to the observers; `nil` to report nothing.
    private func erase(_ record: StoreRecord, because reason: UnsentRevocationError? = nil) async {
        guard (try? await records.store.write(nil, for: record.key, replacing: record.generation)) != nil,
            let reason, let entry = record.content.flatMap({ try? JSONDecoder().decode(Entry.self, from: $0) })
        else { return }
        monitor.report(.notRevoked(entry.account, because: reason))
    }
}

/// The reason for erasing a waiting revocation that has not succeeded.
package enum UnsentRevocationError: StatedFailure {
    case erased, expired, replaced

    package var facts: FailureFacts {
        switch self {
        case .erased:
            .definitive(
                "revocation_erased", "All that was kept about its account was erased before its server could be told.")
        case .expired: .definitive("revocation_expired", "Its server could not be told for a day.")
        case .replaced:
            .definitive(
                "revocation_replaced",
                "Its person has signed in again, and the server may take both sessions for one.")
        }
    }
}
