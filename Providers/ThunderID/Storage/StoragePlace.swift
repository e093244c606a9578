import IdentityKit

/// Identifies the storage behind an adapter. Adapters with the same storage must share one ``AdaptedTokenStore``, because a
/// store object cannot coordinate writes and refreshes with another one.
struct StoragePlace: Hashable, Sendable {
    private let object: ObjectIdentifier?
    private let names: [String]

    /// Identifies the storage by an object; `nil` for a value type, because values have no identity.
    init?(of value: any Sendable, names: [String] = []) {
        guard type(of: value) is AnyClass else { return nil }
        (object, self.names) = (ObjectIdentifier(value as AnyObject), names)
    }

    init(names: [String]) {
        (object, self.names) = (nil, names)
    }
}

extension AdaptedTokenStore {
    private struct Opened: Sendable {
        weak var store: AdaptedTokenStore?
    }

    /// The open stores by storage. The list is global to the process, because clients do not know of each other.
    private static let opened = Locked<[StoragePlace: Opened]>([:])

    /// Returns the store of an adapter, shared with other clients of the same storage. An adapter of a value type other than
    /// ``KeychainStorageAdapter`` always gets a new store.
    static func open(_ adapter: any StorageAdapter) -> AdaptedTokenStore {
        guard let place = (adapter as? KeychainStorageAdapter)?.place ?? StoragePlace(of: adapter) else {
            return AdaptedTokenStore(adapter)
        }
        return opened.withLock { opened in
            // While the store exists, it retains its adapter, so no other object can have the adapter's identifier.
            if let store = opened[place]?.store { return store }
            let store = AdaptedTokenStore(adapter)
            opened = opened.filter { $0.value.store != nil }
            opened[place] = Opened(store: store)
            return store
        }
    }
}
