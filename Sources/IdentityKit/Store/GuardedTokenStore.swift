import Foundation

/// Makes sure that the right person is there: a face, a finger or the device's code.
public protocol PresenceCheck: Sendable {
    /// Asks the person and waits.
    /// - Parameter reason: what it is for, in words for the person.
    /// - Throws: `CancellationError` when the person refuses; any other error when nobody can be asked.
    func confirm(reason: String) async throws
}

/// A store whose sessions open only for a person who was seen a short while ago.
///
/// It guards reading the contents of accounts. Writing is not guarded, because a refresh must be stored whoever is there.
/// However many tasks ask at once, the person is asked once.
public final class GuardedTokenStore: TokenStore {
    private struct State: Sendable {
        var openUntil = Date.distantPast
        var asking: Task<Void, any Error>?
    }

    private let base: any TokenStore
    private let check: any PresenceCheck
    private let reason: String
    private let duration: Duration
    private let time: TimeSource
    private let state = Locked(State())

    /// Guards `base`.
    /// - Parameters:
    ///   - base: where the records are.
    ///   - check: how the person is asked.
    ///   - reason: what it is for, in words for the person.
    ///   - duration: how long one answer is good for.
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

    /// Asks again before the next session is read, as when the app goes to the background.
    public func close() {
        state.withLock { $0.openUntil = .distantPast }
    }

    /// The record under `key`.
    /// - Throws: ``TokenStoreError/locked(detail:)`` when the person is not there, otherwise what the base throws.
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

    /// Compare-and-swap on the generation.
    /// - Throws: what the base throws. Nobody has to confirm.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try await base.write(content, for: key, replacing: generation)
    }

    /// The lease on `key`.
    /// - Throws: what the base throws.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? { try await base.lease(for: key) }

    /// Sets a damaged record aside.
    /// - Throws: what the base throws.
    public func quarantine(_ key: StoreKey) async throws { try await base.quarantine(key) }

    /// The changes from now on.
    public func changes() -> AsyncStream<StoreChange> { base.changes() }

    /// The base's marker, which says nothing while the store is closed, so that nobody goes on with what was read before.
    public func marker(for key: StoreKey) -> (any StoreVersion)? {
        guard key.collection == .accounts else { return base.marker(for: key) }
        return base.marker(for: key).map { Marker(base: $0) { [weak self] in self?.isOpen ?? false } }
    }

    private var isOpen: Bool {
        let until = state.withLock { $0.openUntil }
        // A clock that was set back must not keep the store open.
        return time.now < until && until <= time.now + duration.timeInterval
    }

    private func open() async throws {
        if isOpen { return }
        let asking = state.withLock { state in
            if let asking = state.asking { return asking }
            // Not the caller's task: somebody else may wait for the same answer when this caller gives up.
            let asking = Task { [check, reason] in try await check.confirm(reason: reason) }
            state.asking = asking
            return asking
        }
        let answer = await asking.result
        state.withLock { state in
            guard state.asking == asking else { return }
            state.asking = nil
            if case .success = answer { state.openUntil = time.now + duration.timeInterval }
        }
        do {
            try answer.get()
        } catch is CancellationError {
            throw TokenStoreError.locked(detail: "nobody confirmed to be there.")
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
