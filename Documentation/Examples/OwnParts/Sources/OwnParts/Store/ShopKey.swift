import IdentityKit

/// Keeps the keys of sealed stores in memory. A program would get them from a safe, and keep them there.
public actor ShopKey: DataKeyHome {
    public nonisolated let name = "the shop's safe"
    private let random: RandomSource
    private var keys: [String: DataKey] = [:]

    public init(random: RandomSource = .system) { self.random = random }

    public func key(forStore storeID: String) -> DataKey? { keys[storeID] }

    public func makeKey(forStore storeID: String) throws -> DataKey {
        let key = try keys[storeID] ?? DataKey(random: random)
        keys[storeID] = key
        return key
    }
}
