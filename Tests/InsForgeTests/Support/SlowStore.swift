import IdentityKit

/// A store that can only be read asynchronously, like one whose key another process keeps.
struct SlowStore: TokenStoreWrapper {
    let wrapped: any TokenStore

    init(_ store: any TokenStore) { wrapped = store }
}
