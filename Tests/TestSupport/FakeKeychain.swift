import Foundation
import IdentityKit

/// A Keychain in memory with the documented behavior of Apple's: an item is unique by service and account, an update or a
/// deletion applies to what its query matches, and an access group must be in the entitlements.
package final class FakeKeychain: Keychain {
    /// The system's results for an item that cannot be read before the first unlock. Both occur.
    package enum LockedAnswer: CaseIterable, Sendable {
        /// `errSecInteractionNotAllowed`, always.
        case interactionNotAllowed
        /// `errSecItemNotFound` for reading; only adding returns the reason.
        case itemNotFound
    }

    private struct State: Sendable {
        var items: [KeychainName: KeychainItem] = [:]
        var locked: LockedAnswer?
        var hasEntitlement = true
        var failures: [KeychainError] = []
        var beforeNextItem: (@Sendable (FakeKeychain) -> Void)?
        var beforeNextUpdate: (@Sendable (FakeKeychain) -> Void)?

        /// The errors of any call.
        mutating func admit() throws(KeychainError) {
            if !failures.isEmpty { throw failures.removeFirst() }
            if !hasEntitlement { throw .missingEntitlement }
        }

        /// The errors of a call for existing items. Without the entitlement, Apple's refuses only writes, and finds
        /// nothing when it reads.
        mutating func admitLook(isWrite: Bool = false) throws(KeychainError) {
            if !isWrite, !hasEntitlement, failures.isEmpty { throw .itemNotFound }
            try admit()
            switch locked {
            case .interactionNotAllowed: throw .interactionNotAllowed
            case .itemNotFound: throw .itemNotFound
            case nil: break
            }
        }
    }

    private let state = Locked(State())

    /// An open Keychain without items.
    package init() {}

    /// Restarts the device, or unlocks it.
    package func lock(answering answer: LockedAnswer?) {
        state.withLock { $0.locked = answer }
    }

    /// Takes the access group out of the entitlements.
    package func withdrawEntitlement() {
        state.withLock { $0.hasEntitlement = false }
    }

    /// Makes the next call fail.
    package func failNext(_ failure: KeychainError) {
        state.withLock { $0.failures.append(failure) }
    }

    /// Runs `body` before the next item is read.
    package func beforeNextItem(_ body: @escaping @Sendable (FakeKeychain) -> Void) {
        state.withLock { $0.beforeNextItem = body }
    }

    /// Runs `body` between a store's read and its update.
    package func beforeNextUpdate(_ body: @escaping @Sendable (FakeKeychain) -> Void) {
        state.withLock { $0.beforeNextUpdate = body }
    }

    /// The items, for tests that damage them.
    package var items: [KeychainName: KeychainItem] {
        get { state.withLock { $0.items } }
        set { state.withLock { $0.items = newValue } }
    }

    package func replace(_ name: KeychainName, with item: KeychainItem) {
        state.withLock { $0.items[name] = item }
    }

    package func item(_ name: KeychainName) throws(KeychainError) -> KeychainItem {
        let intruder = state.withLock { state in
            defer { state.beforeNextItem = nil }
            return state.beforeNextItem
        }
        intruder?(self)
        return try perform { state throws(KeychainError) -> KeychainItem in
            try state.admitLook()
            guard let item = state.items[name] else { throw .itemNotFound }
            return item
        }
    }

    package func tags(ofService service: String) throws(KeychainError) -> [String: Data] {
        try perform { state throws(KeychainError) -> [String: Data] in
            try state.admitLook()
            let found = state.items.filter { $0.key.service == service }
            guard !found.isEmpty else { throw .itemNotFound }
            return Dictionary(found.map { ($0.key.account, $0.value.tag) }) { first, _ in first }
        }
    }

    package func add(_ item: KeychainItem, as name: KeychainName) throws(KeychainError) {
        try perform { state throws(KeychainError) -> Void in
            try state.admit()
            if state.items[name] != nil { throw .duplicateItem }
            if state.locked != nil { throw .interactionNotAllowed }
            state.items[name] = item
        }
    }

    package func update(_ name: KeychainName, tagged tag: Data, to item: KeychainItem) throws(KeychainError) {
        let intruder = state.withLock { state in
            defer { state.beforeNextUpdate = nil }
            return state.beforeNextUpdate
        }
        intruder?(self)
        try perform { state throws(KeychainError) -> Void in
            try state.admitLook(isWrite: true)
            guard state.items[name]?.tag == tag else { throw .itemNotFound }
            state.items[name] = item
        }
    }

    package func delete(_ name: KeychainName, tagged tag: Data) throws(KeychainError) {
        try perform { state throws(KeychainError) -> Void in
            try state.admitLook(isWrite: true)
            guard state.items[name]?.tag == tag else { throw .itemNotFound }
            state.items[name] = nil
        }
    }

    private func perform<Value: Sendable>(
        _ body: (inout State) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        let result: Result<Value, KeychainError> = state.withLock { state in
            do throws(KeychainError) {
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

/// A person who opens everything without being asked.
extension FakeKeychain: KeychainGuard {}
