import Foundation
import IdentityKit
import OAuthKit

/// The flows that wait for their callback: one record each, in memory and in the shared store, so that a callback finds
/// its own flow after a restart of the app, and no other one.
///
/// Adding a flow is synchronous, because opening a page is; its record is written right after, and everything that reads
/// waits for that.
final class PendingFlows: Sendable {
    private struct State: Sendable {
        var flows: [PendingFlow] = []
        /// The last write to the store; each waits for the one before, so that a sign-out erases what was added.
        var writing: Task<Void, Never>?
    }

    private let store: any TokenStore
    private let backend: String
    private let time: TimeSource
    private let state = Locked(State())

    init(store: any TokenStore, backend: String, time: TimeSource) {
        self.store = store
        self.backend = backend
        self.time = time
    }

    /// Waits for the callback of `flow` from now on.
    func add(_ flow: PendingFlow) {
        enqueue({ state in
            state.flows.removeAll { $0.id.hasBytes(of: flow.id) }
            state.flows.append(flow)
        }) { [store] in
            // A flow that cannot be stored still waits in this process.
            guard let content = try? JSONEncoder().encode(flow) else { return }
            let record = try? await store.record(for: Self.key(of: flow.id))
            _ = try? await store.write(content, for: Self.key(of: flow.id), replacing: record?.generation ?? 0)
        }
    }

    /// The flow whose answer `url` is, and the answer. Of several that fit, the newest.
    /// - Throws: ``InsForgeAuthError/invalidCallback(_:)`` when it is nobody's; ``TokenStoreError``.
    func match(_ url: URL, allowsTokens: Bool) async throws -> (PendingFlow, InsForgeCallback) {
        var defect: (any Error)?
        for flow in try await waiting() {
            do {
                let callback = try InsForgeCallback(url, redirectURI: flow.redirectURI, allowsTokens: allowsTokens)
                if flow.expects(callback) { return (flow, callback) }
            } catch {
                if defect == nil { defect = error }
            }
        }
        throw defect ?? InsForgeAuthError.invalidCallback("it belongs to nothing that was started here.")
    }

    /// Whether `flow` still waits, and has not been forgotten by a sign-out.
    func isWaiting(_ flow: PendingFlow) -> Bool {
        state.withLock { $0.flows.contains { $0.id.hasBytes(of: flow.id) } }
    }

    /// Waits for `flow` no longer.
    func forget(_ flow: PendingFlow) async {
        enqueue({ $0.flows.removeAll { $0.id.hasBytes(of: flow.id) } }) { [store] in
            await Self.erase(Self.key(of: flow.id), in: store)
        }
        await settle()
    }

    /// Waits for nothing any more.
    func forgetAll() async {
        enqueue({ $0.flows.removeAll() }) { [store, backend] in
            let listing = (try? await store.records(in: .pendingFlows)) ?? StoreListing()
            for record in listing.records where Self.flow(in: record)?.backend.hasBytes(of: backend) == true {
                await Self.erase(record.key, in: store)
            }
        }
        await settle()
    }

    /// The flows of this server that have not expired, those with a `state` of their own first, then the newest first.
    private func waiting() async throws -> [PendingFlow] {
        await settle()
        let now = time.now
        let stored = try await store.records(in: .pendingFlows).records.compactMap(Self.flow(in:))
        let flows = state.withLock { state in
            let known = state.flows.map(\.id)
            state.flows += stored.filter { $0.backend.hasBytes(of: backend) && !known.containsBytes(of: $0.id) }
            state.flows.removeAll { $0.expiresAt <= now }
            return state.flows
        }
        for flow in stored where flow.expiresAt <= now { await Self.erase(Self.key(of: flow.id), in: store) }
        return flows.reversed().sorted { first, second in
            let (isFirst, isSecond) = (first.redirectURI.query != nil, second.redirectURI.query != nil)
            return isFirst != isSecond ? isFirst : first.startedAt > second.startedAt
        }
    }

    // MARK: The store

    private func enqueue(
        _ change: (inout State) -> Void, _ write: @escaping @Sendable () async -> Void
    ) {
        state.withLock { state in
            change(&state)
            let earlier = state.writing
            state.writing = Task {
                await earlier?.value
                await write()
            }
        }
    }

    private func settle() async {
        await state.withLock { $0.writing }?.value
    }

    private static let prefix = "insforge-"

    private static func key(of id: String) -> StoreKey { StoreKey(.pendingFlows, prefix + id) }

    /// The flow in a record; `nil` in those of other providers and in erased ones.
    private static func flow(in record: StoreRecord) -> PendingFlow? {
        guard record.key.name.hasPrefix(prefix), let content = record.content else { return nil }
        return try? JSONDecoder().decode(PendingFlow.self, from: content)
    }

    private static func erase(_ key: StoreKey, in store: any TokenStore) async {
        guard let record = try? await store.record(for: key), record.content != nil else { return }
        _ = try? await store.write(nil, for: key, replacing: record.generation)
    }
}
