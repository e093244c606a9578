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
/// several tasks read at once, the user is asked once.
public final class GuardedTokenStore: TokenStore {
    private struct State: Sendable {
        var openUntil = Date.distantPast
        var asking: Task<Void, any Error>?
    }

    let base: any TokenStore
    private let check: any PresenceCheck
    private let reason: String
    private let duration: Duration
    private let time: TimeSource
    private let state = Locked(State())

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
        state.withLock { $0.openUntil = .distantPast }
    }

    /// The record under `key`.
    /// - Throws: ``TokenStoreError/locked(detail:)`` without a confirmation, otherwise what the base throws.
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

    private var isOpen: Bool {
        state.withLock { $0.openUntil }.isAhead(of: time.now, byAtMost: duration)
    }

    private func open() async throws {
        if isOpen { return }
        let asking = state.withLock { state in
            if let asking = state.asking { return asking }
            // Not the caller's task: other callers may wait for the confirmation when this one is cancelled.
            let asking = Task { [check, reason] in try await check.confirm(reason: reason) }
            state.asking = asking
            return asking
        }
        let result = await asking.result
        state.withLock { state in
            guard state.asking == asking else { return }
            state.asking = nil
            if case .success = result { state.openUntil = time.now + duration.timeInterval }
        }
        do {
            try result.get()
        } catch is CancellationError {
            throw TokenStoreError.locked(detail: "the user did not confirm to be present.")
        } catch {
            throw TokenStoreError.locked(detail: "\(error.scrubbedMessage)")
        }
    }

    private struct Marker: StoreVersion {
        let base: any StoreVersion
        let isOpen: @Sendable () -> Bool

        var value: UInt64 { isOpen() ? base.value : 0 }
    }
}
