import Dispatch
import Foundation
import IdentityKit

/// A flow that was started by this app and whose response arrives at a callback URL, such as a sign-in in a browser.
package protocol PendingFlowRecord: Sendable, Codable {
    /// Unguessable identifier of the flow: a `state`.
    var flowID: String { get }
    /// The time from which the response is refused.
    var expiresAt: Date { get }
}

/// The sign-ins that wait for their callback, each under its `state`.
package typealias PendingAuthorizations = PendingFlowStore<PendingAuthorization>

extension PendingAuthorization: PendingFlowRecord {
    public var flowID: String { state }
}

/// The flows that wait for their callback, at most a hundred, kept in the shared store so that they survive a restart
/// of the app. Only one process can take a flow, and only once. A flow that nobody takes expires. A record may contain
/// a code verifier, so the store must encrypt its content.
package final class PendingFlowStore<Flow: PendingFlowRecord>: Sendable {
    private let store: any TokenStore
    private let time: TimeSource
    private let prefix: String
    private let queue: SerialQueue
    /// Flows added by ``keep(_:)`` or ``remember(_:)``, oldest first. They are found in this process even if the store
    /// cannot keep them.
    private let remembered = Locked<[Flow]>([])
    /// The last hundred flows that ended in this process, each with the reason, oldest first.
    private let ended = Locked<[(flow: Flow, reason: InvalidCallbackReason)]>([])

    private var limit: Int { 100 }

    /// Creates a store of flows whose records are named by their `state` only, without a prefix.
    package convenience init(store: any TokenStore, time: TimeSource = .system) {
        self.init(store: store, prefix: "", time: time)
    }

    /// - Parameters:
    ///   - store: the shared store.
    ///   - prefix: the prefix of the records' names, before the flow's identifier.
    ///   - queue: performs the writes of ``keep(_:)`` and ``remember(_:)`` and the deletions of
    ///     ``forgetAll(because:where:)``, one after the other.
    ///   - time: the clock.
    package init(
        store: any TokenStore, prefix: String, queue: SerialQueue = SerialQueue(), time: TimeSource = .system
    ) {
        self.store = store
        self.prefix = prefix
        self.queue = queue
        self.time = time
    }

    /// Stores a flow until it is taken or forgotten, expires, or is replaced because the limit is reached.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func add(_ flow: Flow) async throws {
        try await makeRoom(for: flow)
        let generation = try await store.record(for: key(flow.flowID))?.generation ?? 0
        try await store.write(JSONEncoder().encode(flow), for: key(flow.flowID), replacing: generation)
    }

    /// Keeps a flow before its page opens, because the app may have been restarted when the response arrives. If the store
    /// fails, the flow survives only in this process.
    package func keep(_ flow: Flow) async {
        note(flow)
        queue.add { [self] in try? await add(flow) }
        await queue.finish()
    }

    /// Keeps a flow before its page opens, for callers that are not asynchronous. If the store cannot be written without
    /// waiting, for example because a new store has no key yet, the thread blocks for at most two seconds.
    package func remember(_ flow: Flow) {
        note(flow)
        if (try? writeAtOnce(flow)) == true {
            queue.add { [self] in try? await makeRoom(for: flow) }
            return
        }
        let isWritten = DispatchSemaphore(value: 0)
        queue.add { [self] in
            try? await add(flow)
            isWritten.signal()
        }
        _ = isWritten.wait(timeout: .now() + 2)
    }

    private func note(_ flow: Flow) {
        let now = time.now
        let (expired, replaced) = remembered.withLock { flows -> ([Flow], [Flow]) in
            let others = flows.filter { !$0.flowID.hasBytes(of: flow.flowID) }
            let waiting = others.filter { $0.expiresAt > now }
            flows = waiting.suffix(limit - 1) + [flow]
            return (others.filter { $0.expiresAt <= now }, waiting.dropLast(limit - 1))
        }
        end(expired, because: .flowExpired)
        end(replaced, because: .flowReplaced)
    }

    /// - Returns: whether the store could be written without waiting.
    private func writeAtOnce(_ flow: Flow) throws -> Bool {
        guard let store = store as? any ImmediateTokenStore,
            let known = try store.immediateRecord(for: key(flow.flowID))
        else { return false }
        let content = try JSONEncoder().encode(flow)
        return try store.immediateWrite(content, for: key(flow.flowID), replacing: known?.generation ?? 0) != nil
    }

    /// Erases the flows that expire first, until `flow` fits within the limit.
    private func makeRoom(for flow: Flow) async throws {
        let waiting = try await sweep().filter { !$0.flow.flowID.hasBytes(of: flow.flowID) }
        for oldest in waiting.sorted(by: { $0.flow.expiresAt < $1.flow.expiresAt }).dropLast(limit - 1) {
            await erase(oldest.record)
            end([oldest.flow], because: .flowReplaced)
        }
    }

    /// Removes and returns the flow with this identifier. Of two callbacks with the same `state`, only the first gets the
    /// flow.
    /// - Parameters:
    ///   - id: the `state` of the callback.
    ///   - isWanted: whether the flow is the caller's; any other flow stays in the store.
    /// - Returns: `nil` if no flow with this identifier waits, or the flow is not the caller's.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func take(_ id: String, where isWanted: @Sendable (Flow) -> Bool = { _ in true }) async throws -> Flow? {
        let taken = try await takeWaiting(id, where: isWanted)
        if let taken { end([taken], because: taken.expiresAt > time.now ? .flowOver : .flowExpired) }
        return taken
    }

    private func takeWaiting(_ id: String, where isWanted: @Sendable (Flow) -> Bool) async throws -> Flow? {
        await queue.finish()
        let known = remembered.withLock { flows in
            flows.firstIndex { $0.flowID.hasBytes(of: id) && isWanted($0) }.map { flows.remove(at: $0) }
        }
        do {
            guard let record = try await store.record(for: key(id)) else { return known }
            // A record without content shows that another process took the flow first.
            guard let content = record.content else { return nil }
            let stored = known ?? (try? JSONDecoder().decode(Flow.self, from: content))
            guard stored.map(isWanted) ?? true else { return nil }
            try await store.write(nil, for: record.key, replacing: record.generation)
            guard let stored else { throw TokenStoreError.corrupt(path: id, detail: "it does not describe a sign-in") }
            return stored
        } catch TokenStoreError.conflict {
            return nil
        } catch {
            guard let known else { throw error }
            return known
        }
    }

    /// The pending flows: first those that this process added by ``keep(_:)`` or ``remember(_:)``, oldest first, then the
    /// others in the store.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func waiting() async throws -> [Flow] {
        await queue.finish()
        let now = time.now
        let stored = try await sweep().map(\.flow)
        let (expired, own) = remembered.withLock { flows -> ([Flow], [Flow]) in
            let expired = flows.filter { $0.expiresAt <= now }
            flows.removeAll { $0.expiresAt <= now }
            return (expired, flows)
        }
        end(expired, because: .flowExpired)
        let known = own.map(\.flowID)
        return own + stored.filter { !known.containsBytes(of: $0.flowID) }
    }

    /// Returns the pending flow with this identifier, and leaves it pending; `nil` if there is none or it has expired. Reads
    /// only the record of this flow.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func waiting(_ id: String) async throws -> Flow? {
        await queue.finish()
        var flow = remembered.withLock { flows in flows.first { $0.flowID.hasBytes(of: id) } }
        if flow == nil, let content = try await store.record(for: key(id))?.content {
            flow = try? JSONDecoder().decode(Flow.self, from: content)
        }
        return flow.flatMap { $0.expiresAt > time.now ? $0 : nil }
    }

    /// Ends the pending flows for which `isWanted` returns `true`. By default the reason is that the person signed out.
    package func forgetAll(
        because reason: InvalidCallbackReason = .signedOut, where isWanted: @escaping @Sendable (Flow) -> Bool
    ) async {
        let known = remembered.withLock { flows in
            defer { flows.removeAll(where: isWanted) }
            return flows.filter(isWanted)
        }
        end(known, because: reason)
        queue.add { [self] in
            for (record, flow) in (try? await sweep()) ?? [] where isWanted(flow) {
                await erase(record)
                end([flow], because: reason)
            }
        }
        await queue.finish()
    }

    // MARK: Ended flows

    /// The flows that ended in this process, with the reason, latest first.
    package var endings: [(flow: Flow, reason: InvalidCallbackReason)] { ended.withLock { $0.reversed() } }

    /// The reason why no flow with this identifier is pending. For a flow that ended in another process, the result is
    /// `flowOver`, because the reason is not stored. For an identifier without any record, the result is `unknownFlow`.
    package func reasonOfEnd(_ id: String) async -> InvalidCallbackReason {
        if let known = endings.first(where: { $0.flow.flowID.hasBytes(of: id) }) { return known.reason }
        let record = (try? await store.record(for: key(id))) ?? nil
        return record != nil && record?.content == nil ? .flowOver : .unknownFlow
    }

    private func end(_ flows: [Flow], because reason: InvalidCallbackReason) {
        guard !flows.isEmpty else { return }
        ended.withLock { $0 = ($0 + flows.map { (flow: $0, reason: reason) }).suffix(limit) }
    }

    private func key(_ id: String) -> StoreKey { StoreKey(.pendingFlows, prefix + id) }

    /// Erases expired flows, and returns the others. Skips unreadable records, so that a damaged record does not make a
    /// sign-in fail.
    private func sweep() async throws -> [(record: StoreRecord, flow: Flow)] {
        var waiting: [(record: StoreRecord, flow: Flow)] = []
        for record in try await store.records(in: .pendingFlows).records where record.key.name.hasPrefix(prefix) {
            guard let content = record.content, let flow = try? JSONDecoder().decode(Flow.self, from: content) else {
                continue
            }
            if flow.expiresAt > time.now {
                waiting.append((record, flow))
            } else {
                await erase(record)
                end([flow], because: .flowExpired)
            }
        }
        return waiting
    }

    private func erase(_ record: StoreRecord) async {
        _ = try? await store.write(nil, for: record.key, replacing: record.generation)
    }
}
