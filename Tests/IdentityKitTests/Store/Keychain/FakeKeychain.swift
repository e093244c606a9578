import Foundation
import IdentityKit
import IdentityTestKit

/// A Keychain in memory that answers as Apple documents it: an item is unique by service and account, an update or a
/// deletion concerns what its query matches, and an access group must be in the entitlements.
final class FakeKeychain: Keychain {
    /// What the system answers for an item that cannot be read before the first unlock. Both are seen.
    enum LockedAnswer: CaseIterable, Sendable {
        /// `errSecInteractionNotAllowed`, always.
        case interactionNotAllowed
        /// `errSecItemNotFound` for whoever looks; only adding says why.
        case itemNotFound
    }

    private struct State: Sendable {
        var items: [KeychainName: KeychainItem] = [:]
        var locked: LockedAnswer?
        var hasEntitlement = true
        var failures: [KeychainFailure] = []
        var beforeNextUpdate: (@Sendable (FakeKeychain) -> Void)?
    }

    private let state = Locked(State())

    /// Restarts the device, or unlocks it.
    func lock(answering answer: LockedAnswer?) {
        state.withLock { $0.locked = answer }
    }

    /// Takes the access group out of the entitlements.
    func withdrawEntitlement() {
        state.withLock { $0.hasEntitlement = false }
    }

    /// Makes the next call fail.
    func failNext(_ failure: KeychainFailure) {
        state.withLock { $0.failures.append(failure) }
    }

    /// Lets somebody else act between a store's look and its update.
    func beforeNextUpdate(_ body: @escaping @Sendable (FakeKeychain) -> Void) {
        state.withLock { $0.beforeNextUpdate = body }
    }

    /// What is there, for a test that damages it.
    var items: [KeychainName: KeychainItem] {
        get { state.withLock { $0.items } }
        set { state.withLock { $0.items = newValue } }
    }

    func replace(_ name: KeychainName, with item: KeychainItem) {
        state.withLock { $0.items[name] = item }
    }

    func item(_ name: KeychainName) throws(KeychainFailure) -> KeychainItem {
        try look { $0.items[name] }
    }

    func tags(ofService service: String) throws(KeychainFailure) -> [String: Data] {
        try look { state in
            let tags = state.items.filter { $0.key.service == service }.map { ($0.key.account, $0.value.tag) }
            return tags.isEmpty ? nil : Dictionary(tags) { first, _ in first }
        }
    }

    func add(_ item: KeychainItem, as name: KeychainName) throws(KeychainFailure) {
        try call { state in
            if state.items[name] != nil { return .failure(.duplicateItem) }
            if state.locked != nil { return .failure(.interactionNotAllowed) }
            state.items[name] = item
            return .success(())
        }
    }

    func update(_ name: KeychainName, tagged tag: Data, to item: KeychainItem) throws(KeychainFailure) {
        let intruder = state.withLock { state in
            defer { state.beforeNextUpdate = nil }
            return state.beforeNextUpdate
        }
        intruder?(self)
        try look { state in
            guard state.items[name]?.tag == tag else { return nil }
            state.items[name] = item
            return ()
        }
    }

    func delete(_ name: KeychainName, tagged tag: Data) throws(KeychainFailure) {
        try look { state in
            guard state.items[name]?.tag == tag else { return nil }
            state.items[name] = nil
            return ()
        }
    }

    /// A call that concerns items which are there; `nil` for none.
    private func look<Result: Sendable>(
        _ body: @Sendable (inout State) -> Result?
    ) throws(KeychainFailure) -> Result {
        try call { state in
            switch state.locked {
            case .interactionNotAllowed: .failure(.interactionNotAllowed)
            case .itemNotFound: .failure(.itemNotFound)
            case nil: body(&state).map { .success($0) } ?? .failure(.itemNotFound)
            }
        }
    }

    private func call<Success: Sendable>(
        _ body: @Sendable (inout State) -> Result<Success, KeychainFailure>
    ) throws(KeychainFailure) -> Success {
        let result: Result<Success, KeychainFailure> = state.withLock { state in
            if !state.failures.isEmpty { return .failure(state.failures.removeFirst()) }
            if !state.hasEntitlement { return .failure(.missingEntitlement) }
            return body(&state)
        }
        return try result.get()
    }
}
