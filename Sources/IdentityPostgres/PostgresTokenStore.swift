#if PostgreSQL
import Foundation
import IdentityKit

/// A store for many machines, which share sessions through a PostgreSQL database, version 13 or later.
///
/// The rules of `TokenStore` hold: each record changes by compare-and-swap in one statement, a write is durable when it
/// returns, and a refresh token is sent by one holder of a lease at a time. With a direct connection, a lease is free at once
/// when its holder's process or that connection ends. Without a direct connection, or when the holder's machine or network
/// fails, a lease is free within four seconds.
///
/// A cached session is used without a round trip. The store polls for changes of other machines at least once a second.
/// When the server has not answered for ``Options/longestDelay``, every look-up asks the database.
///
/// Records are stored unencrypted. Encrypt them with `sealed(storeID:key:)`, as the configuration `{"type": "postgres"}`
/// does. Create the tables with ``migrate(by:)`` before the first use.
public final class PostgresTokenStore: TokenStore {
    /// The options of a store, such as its tables and the limits of its connections and calls.
    public struct Options: Sendable {
        public var tables = PostgresTables.standard
        /// The weakest `sslmode` that is accepted for a server on another machine; by default `verify-full`.
        public var tls = PostgresTLS.verified
        /// Limit of connections, not counting the one that receives changes.
        public var maximumConnections = 4
        /// Limit of each statement of a call, including the wait for a connection.
        public var deadline = Duration.seconds(5)
        /// Whether an audit trail records changes of sessions, such as sign-ins, refreshes and sign-outs; by default it
        /// does not. The statement that stores a change also adds the entry of the trail.
        public var keepsAuditTrail = false
        /// How long a change of another machine, such as a sign-out, may stay unnoticed.
        public var longestDelay = Duration.seconds(5)
        /// How long a lease lasts without an extension. The holder extends the lease every second.
        package var leaseDuration = Duration.seconds(4)
        /// How long after a successful check of the tables' version the store makes no further check.
        package var versionLifetime = Duration.seconds(60)

        public init() {}
    }

    fileprivate let pool: PostgresPool
    fileprivate let statements: RecordStatements
    private let schema: PostgresSchema
    fileprivate let watch: PostgresWatch
    private let feed: ChangeFeed
    fileprivate let leases: PostgresLeases
    private let audit: PostgresAudit?
    private let versionLifetime: Duration
    /// When the tables' version is to be checked again; `nil` before the first check and after one that failed.
    private let nextCheck = Locked<ContinuousClock.Instant?>(nil)
    private let recent = RecentRecords()

    /// Makes the store. It connects at the first use.
    /// - Parameters:
    ///   - url: the address of the database, `postgresql://role@host/database` or libpq's keywords.
    ///   - directURL: the address of the same database without a pooler, so that leases of a process that died are free
    ///     at once. If it is `nil` and `url` leads to a pooler, these leases are free within four seconds.
    ///   - options: the options, such as the tables and the limits of connections and calls.
    /// - Throws: `TokenStoreError.unsupported` for an address that libpq does not understand;
    ///   `TokenStoreError.insecure` for a server on another machine with an `sslmode` that is unknown or weaker than
    ///   ``Options/tls``.
    public init(url: Secret, directURL: Secret? = nil, options: Options = Options()) throws {
        let address = try PostgresAddress(url, allowing: options.tls)
        let direct = try directURL.map { try PostgresAddress($0, allowing: options.tls) } ?? address
        let pool = PostgresPool(
            address, options.tables, limit: options.maximumConnections, deadline: options.deadline)
        // The feed starts the watch for its first listener, and the watch sends changes to the feed. Both references
        // are weak, so that neither object keeps the other alive.
        let watches = Locked<WeakWatch>(WeakWatch())
        let feed = ChangeFeed { _ in
            let watch = watches.withLock { $0.watch }
            watch?.start()
            return { try? await Task.sleep(for: .seconds(Int32.max)) }
        }
        let watch = PostgresWatch(
            direct, options.tables, validity: options.longestDelay,
            send: { [weak feed] in feed?.send($0) }, missed: { [weak feed] in feed?.forgetGenerations() })
        watches.withLock { $0.watch = watch }
        longestDelay = options.longestDelay
        versionLifetime = options.versionLifetime
        self.pool = pool
        self.watch = watch
        self.feed = feed
        statements = RecordStatements(options.tables, isAudited: options.keepsAuditTrail)
        audit = options.keepsAuditTrail ? PostgresAudit(options.tables) : nil
        schema = PostgresSchema(options.tables)
        leases = PostgresLeases(pool, options.tables, for: options.leaseDuration, watch: watch)
    }

    deinit { watch.stop() }

    private struct WeakWatch: Sendable {
        weak var watch: PostgresWatch?
    }

    // MARK: Records

    /// The record under `key`; `nil` when there is none. If the database has lost a later version that this program
    /// remembers, the store first writes that version back.
    /// - Throws: `TokenStoreError`, such as `TokenStoreError.unavailable`, or `CancellationError`.
    public func record(for key: StoreKey) async throws -> StoreRecord? {
        try await requireTables()
        let (epoch, start) = (watch.markers.epoch, ContinuousTime.now)
        let row = try await pool.run(statements.read, RecordStatements.place(of: key), isRepeatable: true).first
        var record = try row.map { try RecordStatements.record(in: $0, of: key.collection, hasAge: true) }
        if let found = record { record = try await current(found, askedAt: start) }
        watch.markers.note(record?.generation ?? 0, of: key, since: epoch)
        return record
    }

    /// The records under `keys`, in the order of `keys`. Keys without a record are skipped. Each statement reads up to 16
    /// records from one snapshot of the database.
    /// - Throws: `TokenStoreError`, `CancellationError`.
    public func records(for keys: [StoreKey]) async throws -> [StoreRecord] {
        try await requireTables()
        var found: [StoreKey: StoreRecord] = [:]
        for start in stride(from: 0, to: keys.count, by: RecordStatements.mostRead) {
            let part = keys[start..<min(start + RecordStatements.mostRead, keys.count)]
            let (epoch, asked) = (watch.markers.epoch, ContinuousTime.now)
            let rows = try await pool.run(
                statements.read(part.count), part.flatMap(RecordStatements.place), isRepeatable: true
            ).rows
            for row in rows {
                let collection = StoreKey.Collection(rawValue: row.text(3) ?? "")
                let record = try RecordStatements.record(in: row, of: collection, hasAge: true)
                found[record.key] = try await current(record, askedAt: asked)
            }
            for key in part { watch.markers.note(found[key]?.generation ?? 0, of: key, since: epoch) }
        }
        return keys.compactMap { found[$0] }
    }

    /// Returns `found`, unless this program remembers a later version that the database has lost. In that case, writes
    /// the later version back and returns it.
    /// - Parameter start: the time before the database was asked.
    /// - Throws: `TokenStoreError`, `CancellationError`.
    private func current(_ found: StoreRecord, askedAt start: UInt64) async throws -> StoreRecord? {
        guard let later = recent.successor(of: found, askedAt: start),
            let generation = Int64(exactly: found.generation), let next = Int64(exactly: later.record.generation)
        else {
            recent.note(found, askedAt: start)
            return found
        }
        var values: [PostgresValue] = [
            .bytes(Data(found.key.name.utf8)), later.record.content.map(PostgresValue.bytes) ?? .null,
            .integer(generation), .integer(next), .integer(Int64(later.distance / .milliseconds(1))),
        ]
        if audit != nil { values += later.meaning.isEmpty ? [.null, .null] : later.meaning }
        let rows = try await pool.run(statements.restore, RecordStatements.place(of: found.key) + values)
        // No row means that another program has changed the record meanwhile, such as by writing the later version
        // back.
        guard rows.first != nil else { return try await record(for: found.key) }
        return later.record
    }

    /// All records of a collection, also erased ones, read in pages of 1,000 records.
    /// - Throws: `TokenStoreError`, `CancellationError`.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        var (listing, position) = (StoreListing(), String?.none)
        repeat {
            let page = try await page(of: collection, after: position, limit: 1_000)
            listing.records += page.records
            listing.failures += page.failures
            position = page.next
        } while position != nil
        return listing
    }

    /// A page of a collection, in the order of the SHA-256 hashes of the names. A page has at most 10,000 records.
    /// - Throws: `TokenStoreError`, `CancellationError`.
    public func page(
        of collection: StoreKey.Collection, after position: String?, limit: Int
    ) async throws -> StoreListing {
        try await requireTables()
        let limit = max(1, min(limit, 10_000))
        let after = position.flatMap { Data(base64Encoded: $0) } ?? Data()
        let rows = try await pool.run(
            statements.list, [.text(collection.rawValue), .bytes(after), .integer(Int64(limit))], isRepeatable: true
        ).rows
        var listing = StoreListing(
            next: rows.count == limit ? rows.last?.bytes(3)?.base64EncodedString() : nil)
        for row in rows {
            do {
                listing.records.append(try RecordStatements.record(in: row, of: collection, hasAge: false))
            } catch let error as TokenStoreError {
                listing.failures.append(error)
            }
        }
        return listing
    }

    /// Replaces the content in one statement if the generation is unchanged.
    /// - Throws: `TokenStoreError.conflict` when the record has another generation, other cases of `TokenStoreError`,
    ///   or `CancellationError`. After `TokenStoreError.unavailable` the record may have been written.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try await requireTables()
        return try await write(content, for: key, replacing: generation, ending: nil)
    }

    /// Writes a record, and ends a lease in the same statement. When the record has another generation, the lease ends
    /// without a write, and the method throws `TokenStoreError.conflict`. Does not check the tables' version, which was
    /// checked when the lease was claimed. If a check failed now, a rotated token that the holder has received would be
    /// lost.
    /// - Parameter claim: the claim of the lease that ends with the write; `nil` for none.
    private func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64, ending claim: Int64?
    ) async throws -> StoreRecord {
        let (epoch, start) = (watch.markers.epoch, ContinuousTime.now)
        let place = RecordStatements.place(of: key) + [.bytes(Data(key.name.utf8))]
        let bytes = content.map(PostgresValue.bytes) ?? .null
        let lease = claim.map(PostgresValue.integer) ?? .null
        let meaning = audit?.values(for: key) ?? []
        let rows =
            if generation == 0 {
                try await pool.run(statements.create, place + [bytes, lease] + meaning)
            } else if let known = Int64(exactly: generation), StoreRecord.generations.contains(generation) {
                try await pool.run(statements.replace, place + [bytes, .integer(known), lease] + meaning)
            } else {
                PostgresRows(rows: [])
            }
        if let claim { leases.isOver(claim, of: key) }
        guard let written = rows.first?.integer(0).flatMap({ UInt64(exactly: $0) }) else {
            throw TokenStoreError.conflict(key, current: try await record(for: key)?.generation ?? 0)
        }
        FaultPoint.reached("\(key.collection.rawValue).committed")
        let record = StoreRecord(key: key, generation: written, content: content)
        recent.note(record, askedAt: start, as: meaning)
        watch.markers.note(written, of: key, since: epoch)
        feed.send(StoreChange(record))
        return record
    }

    /// Claims the lease on `key` without waiting; returns `nil` while another holder has it.
    /// - Throws: `TokenStoreError`, `CancellationError`.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        try await requireTables()
        return try await leases.lease(for: key) { [self] in
            try await write($0, for: key, replacing: $1, ending: $2)
        }
    }

    // MARK: Changes

    /// The changes of `collection` from now on, including those of other machines. With `nil`, the changes of all collections.
    public func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange> {
        feed.stream(of: collection)
    }

    /// The version counter of the record; never `nil`. The counter's value is zero while changes are not received.
    public func marker(for key: StoreKey) -> (any StoreVersion)? {
        watch.start()
        return watch.markers.marker(for: key) { [weak self] in _ = try? await self?.record(for: key) }
    }

    public let longestDelay: Duration

    /// Whether the changes of other programs are being received.
    package var hearsChanges: Bool { watch.markers.epoch != nil }

    /// Number of times each statement was sent, by the statement's name. Statements that poll for changes are not
    /// counted.
    package var sentStatements: [String: Int] { pool.sentStatements }

    /// The name of each statement, with a script for `psql` that shows the server's plan.
    package var explanations: [(name: String, script: String)] {
        let statements =
            statements.all + leases.allStatements + watch.allStatements + [schema.newestVersion]
            + [audit?.list].compactMap(\.self)
        return statements.map { ($0.name, $0.explanation) }
    }

    // MARK: Tables

    /// Creates the tables, or updates them to this version. Several programs may call this method at the same time.
    /// Up-to-date tables are not changed.
    /// - Parameter deadline: the time limit of the script that creates or updates the tables.
    /// - Throws: `TokenStoreError`, such as `TokenStoreError.tooNew` for tables of a later version that this library does
    ///   not understand, or `CancellationError`.
    public func migrate(by deadline: Duration = .seconds(300)) async throws {
        do {
            try await checkVersion()
        } catch TokenStoreError.unsupported {
            // The tables do not exist yet, or have no version.
        }
        try await pool.run(script: schema.migration, deadline: deadline)
    }

    /// Examines the server, the role, the clock and the tables for problems that an operator should correct.
    /// - Throws: `TokenStoreError` when the database cannot be reached or refuses a query; `CancellationError`.
    func examine(at time: TimeSource) async throws -> [StoreFinding] {
        try await PostgresExamination(pool: pool, schema: schema, isAudited: audit != nil, time: time).findings()
    }

    /// Checks that the tables exist and that this library understands their version. Does nothing for a minute after the
    /// check has succeeded.
    fileprivate func requireTables() async throws {
        let isDue = nextCheck.withLock { instant in
            guard let due = instant else { return true }
            guard due <= .now else { return false }
            // Only this caller checks again. The others go on meanwhile.
            instant = ContinuousClock.now + versionLifetime
            return true
        }
        guard isDue else { return }
        do {
            try await checkVersion()
        } catch {
            nextCheck.withLock { $0 = nil }
            throw error
        }
        nextCheck.withLock { $0 = ContinuousClock.now + versionLifetime }
    }

    private func checkVersion() async throws {
        let found = try await pool.run(schema.newestVersion, [], isRepeatable: true).first
        guard let version = found?.integer(0), let oldestReader = found?.integer(1) else {
            throw PostgresError.refused(code: "42P01", message: "").error(
                at: pool.address.place, role: pool.address.role)
        }
        guard oldestReader <= PostgresSchema.version else {
            throw TokenStoreError.tooNew(path: pool.address.place, version: Int(clamping: version))
        }
    }
}

extension PostgresTokenStore: MeasuredTokenStore {
    package var figures: [ClientHealth.Figure: Int] {
        let load = pool.load
        return [
            .connectionsInUse: load.inUse, .waitingCalls: load.waiting, .takeovers: leases.takeovers,
            .lostWatches: watch.markers.losses,
        ]
    }
}

extension PostgresTokenStore: ResealableTokenStore {
    package func collections() async throws -> [StoreKey.Collection] {
        try await requireTables()
        let rows = try await pool.run(statements.collections, [], isRepeatable: true).rows
        return rows.compactMap { $0.text(0) }.map(StoreKey.Collection.init(rawValue:)).filter { $0 != .quarantine }
    }

    package func replace(
        _ content: Data, of key: StoreKey, at generation: UInt64, with resealed: Data
    ) async throws -> Bool {
        try await requireTables()
        guard let generation = Int64(exactly: generation) else { return false }
        let values: [PostgresValue] = [.integer(generation), .bytes(content), .bytes(resealed)]
        return try await pool.run(statements.reseal, RecordStatements.place(of: key) + values).first != nil
    }
}

extension PostgresTokenStore: AuditedTokenStore {
    /// The audit trail of `account`, the latest entry first. Returns at most `limit` entries, and never more than
    /// 1,000. With `number`, returns only entries with a lower number. Entries with an action that this version does
    /// not know are left out.
    /// - Throws: `TokenStoreError.unsupported` without ``Options/keepsAuditTrail``; other cases of `TokenStoreError`
    ///   when the database cannot be read; `CancellationError`.
    public func auditTrail(
        of account: AccountID, before number: Int64? = nil, limit: Int = 100
    ) async throws -> [AuditEntry] {
        guard let audit else {
            throw TokenStoreError.unsupported(detail: "no audit trail is kept. Set \"audit\": true")
        }
        try await requireTables()
        let values: [PostgresValue] = [
            .bytes(RecordStatements.id(of: .account(account))), .integer(number ?? .max),
            .integer(Int64(max(1, min(limit, 1_000)))),
        ]
        return try await pool.run(audit.list, values, isRepeatable: true).rows.compactMap {
            AuditEntry(row: $0, of: account)
        }
    }
}

extension PostgresTokenStore: RemovingTokenStore {
    package func removeRecords(erasedBefore date: Date) async throws -> Int {
        try await requireTables()
        var (count, position) = (0, [PostgresValue.text(""), .bytes(Data())])
        while true {
            try Task.checkCancellation()
            // Examine one page of records per statement, so that no statement takes long.
            let values = position + [.integer(date.wholeMillisecondsSince1970)]
            guard let row = try await pool.run(statements.remove, values).first, let collection = row.text(0),
                let id = row.bytes(1), let removed = row.integer(2)
            else { return count }
            count += Int(removed)
            position = [.text(collection), .bytes(id)]
        }
    }

    package func forget(_ key: StoreKey) async throws {
        try await requireTables()
        let epoch = watch.markers.epoch
        _ = try await pool.run(statements.forget, RecordStatements.place(of: key))
        recent.forget(key)
        watch.markers.note(0, of: key, since: epoch)
    }
}
#endif
