import Foundation
import IdentityKit

/// The sign-ins that wait for their callback, kept in the shared store under their `state`, so that one survives a
/// restart of the app while the person is in the browser.
///
/// A record holds the flow's code verifier. Give it a store that is sealed.
public struct PendingAuthorizations: Sendable {
    private let store: any TokenStore
    private let time: TimeSource

    /// The waiting sign-ins in `store`.
    public init(store: any TokenStore, time: TimeSource = .system) {
        self.store = store
        self.time = time
    }

    /// Remembers a flow until ``take(state:where:)`` or its expiry. Several can wait at a time.
    /// - Throws: ``/IdentityKit/TokenStoreError``.
    public func add(_ pending: PendingAuthorization) async throws {
        try await forgetExpired()
        let key = StoreKey(.pendingFlows, pending.state)
        let generation = try await store.record(for: key)?.generation ?? 0
        try await store.write(JSONEncoder().encode(pending), for: key, replacing: generation)
    }

    /// The flow that waits under `state`, which waits no longer: of two callbacks with one state, one gets `nil`.
    /// - Parameters:
    ///   - state: what the callback brought.
    ///   - isWanted: whether the flow is one of the caller's; a flow of somebody else keeps waiting.
    /// - Throws: ``/IdentityKit/TokenStoreError``.
    public func take(
        state: String, where isWanted: @Sendable (PendingAuthorization) -> Bool = { _ in true }
    ) async throws -> PendingAuthorization? {
        let key = StoreKey(.pendingFlows, state)
        guard let record = try await store.record(for: key), let content = record.content else { return nil }
        let pending = try? JSONDecoder().decode(PendingAuthorization.self, from: content)
        guard pending.map(isWanted) ?? true else { return nil }
        do {
            try await store.write(nil, for: key, replacing: record.generation)
        } catch TokenStoreError.conflict {
            return nil
        }
        guard let pending else {
            throw TokenStoreError.corrupt(path: state, detail: "it does not describe a sign-in")
        }
        return pending
    }

    /// Erases what nobody may finish any more. A record that cannot be read is not worth failing a new sign-in for.
    private func forgetExpired() async throws {
        for record in try await store.records(in: .pendingFlows).records {
            guard let content = record.content,
                let pending = try? JSONDecoder().decode(PendingAuthorization.self, from: content),
                pending.expiresAt <= time.now
            else { continue }
            _ = try? await store.write(nil, for: record.key, replacing: record.generation)
        }
    }
}
