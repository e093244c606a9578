import Foundation

/// Checks that the user is present, such as by face, fingerprint or the device's passcode.
public protocol PresenceCheck: Sendable {
    /// Asks the user and waits.
    /// - Parameter reason: the purpose, in words for the user.
    /// - Throws: `CancellationError` when the user refuses; any other error when the check is not possible.
    func confirm(reason: String) async throws
}

/// A store whose sessions can be read only for a limited time after the user confirmed to be present.
///
/// It guards reading the contents of accounts. Writing is not guarded, because a refresh must be stored at any time. When
/// several tasks read at once, the user is asked once, and no longer than one of them waits.
public final class GuardedTokenStore: TokenStore {
    let base: any TokenStore
    private let check: any PresenceCheck
    private let reason: String
    private let duration: Duration
    private let time: TimeSource
    private let openUntil = Locked(Date.distantPast)
    private let questions = Coalescer<Bool, Void>()

    /// Guards `base`.
    /// - Parameters:
    ///   - base: the store of the records.
    ///   - check: asks the user.
    ///   - reason: the purpose, in words for the user.
    ///   - duration: how long one confirmation is valid.
    ///   - time: the clock.
    public init(
        _ base: any TokenStore, check: any PresenceCheck, reason: String, validFor duration: Duration = .seconds(300),
        time: TimeSource = .system
    ) {
        self.base = base
        self.check = check
        self.reason = reason
        self.duration = duration
        self.time = time
    }

    /// Asks again before the next session is read. Call it when the app goes to the background.
    public func close() {
        openUntil.withLock { $0 = .distantPast }
    }

    /// The record under `key`.
    /// - Throws: ``TokenStoreError/locked(detail:)`` without a confirmation, `CancellationError` when the task is cancelled
    ///   while the user is asked, otherwise what the base throws.
    public func record(for key: StoreKey) async throws -> StoreRecord? {
        let record = try await base.record(for: key)
        if key.collection == .accounts, record?.content != nil { try await open() }
        return record
    }

    /// The records of a collection.
    /// - Throws: as ``record(for:)``.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        let listing = try await base.records(in: collection)
        if collection == .accounts, listing.records.contains(where: { $0.content != nil }) { try await open() }
        return listing
    }

    /// Some records of a collection.
    /// - Throws: as ``record(for:)``.
    public func page(
        of collection: StoreKey.Collection, after position: String?, limit: Int
    ) async throws -> StorePage {
        let page = try await base.page(of: collection, after: position, limit: limit)
        if collection == .accounts, page.listing.records.contains(where: { $0.content != nil }) { try await open() }
        return page
    }

    /// Compare-and-swap on the generation.
    /// - Throws: what the base throws.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try await base.write(content, for: key, replacing: generation)
    }

    /// The lease on `key`.
    /// - Throws: what the base throws.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? { try await base.lease(for: key) }

    /// Moves a damaged record to the quarantine.
    /// - Throws: what the base throws.
    public func quarantine(_ key: StoreKey) async throws { try await base.quarantine(key) }

    /// The changes from now on.
    public func changes() -> AsyncStream<StoreChange> { base.changes() }

    /// The changes of one collection from now on.
    public func changes(in collection: StoreKey.Collection) -> AsyncStream<StoreChange> {
        base.changes(in: collection)
    }

    /// The base's marker. It is zero while the store is closed, so that no session that was read before stays in use.
    public func marker(for key: StoreKey) -> (any StoreVersion)? {
        guard key.collection == .accounts else { return base.marker(for: key) }
        return base.marker(for: key).map { Marker(base: $0) { [weak self] in self?.isOpen ?? false } }
    }

    /// The base's.
    public var longestDelay: Duration { base.longestDelay }

    /// How many wait for the user.
    package var waiterCount: Int { questions.waiterCount(for: true) }

    private var isOpen: Bool {
        openUntil.withLock { $0 }.isAhead(of: time.now, byAtMost: duration)
    }

    private func open() async throws {
        if isOpen { return }
        do {
            // One question for all who wait. It ends when none of them does any more.
            try await questions.value(for: true, whenAbandoned: .cancel) { [self] in
                try await check.confirm(reason: reason)
                openUntil.withLock { $0 = time.now + duration.timeInterval }
            }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw TokenStoreError.unconfirmed(error)
        }
    }

    private struct Marker: StoreVersion {
        let base: any StoreVersion
        let isOpen: @Sendable () -> Bool

        var value: UInt64 { isOpen() ? base.value : 0 }
    }
}
