import IdentityKit

/// The place of an adapter's texts. Two adapters of one place need one store, because compare-and-swap and leases are
/// the store's.
struct StoragePlace: Hashable, Sendable {
    private let object: ObjectIdentifier?
    private let names: [String]

    /// The place of an object; `nil` for a value, of which every copy is a place of its own for all that is known.
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

    /// The stores in use. They are the process's, as the places are: clients do not know of each other.
    private static let opened = Locked<[StoragePlace: Opened]>([:])

    /// The store of this adapter: the one that another client uses already, if there is one.
    static func open(_ adapter: any StorageAdapter) -> AdaptedTokenStore {
        guard let place = (adapter as? KeychainStorageAdapter)?.place ?? StoragePlace(of: adapter) else {
            return AdaptedTokenStore(adapter)
        }
        return opened.withLock { opened in
            // The store keeps its adapter, so the name of an object in use is no other's.
            if let store = opened[place]?.store { return store }
            let store = AdaptedTokenStore(adapter)
            opened = opened.filter { $0.value.store != nil }
            opened[place] = Opened(store: store)
            return store
        }
    }
}
