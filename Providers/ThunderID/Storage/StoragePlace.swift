import IdentityKit

/// Identifies the place of an adapter's texts. Adapters with the same place must share one store, because
/// compare-and-swap and leases work only within a store.
struct StoragePlace: Hashable, Sendable {
    private let object: ObjectIdentifier?
    private let names: [String]

    /// The place of an adapter object; `nil` for a value type, whose copies cannot be told apart.
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

    /// The open stores by place. The list is global to the process, because clients do not know of each other.
    private static let opened = Locked<[StoragePlace: Opened]>([:])

    /// The store of an adapter, shared with other clients that use the same place.
    static func open(_ adapter: any StorageAdapter) -> AdaptedTokenStore {
        guard let place = (adapter as? KeychainStorageAdapter)?.place ?? StoragePlace(of: adapter) else {
            return AdaptedTokenStore(adapter)
        }
        return opened.withLock { opened in
            // The store retains its adapter, so another object cannot have the same identifier meanwhile.
            if let store = opened[place]?.store { return store }
            let store = AdaptedTokenStore(adapter)
            opened = opened.filter { $0.value.store != nil }
            opened[place] = Opened(store: store)
            return store
        }
    }
}
