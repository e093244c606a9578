import IdentityKit

/// Keeps the keys of sealed stores in memory. A program would get them from a safe, and keep them there.
public actor ShopKey: DataKeyHome {
    public nonisolated let name = "the shop's safe"
    private let random: RandomSource
    private var kept: [String: DataKey] = [:]

    public init(random: RandomSource = .system) { self.random = random }

    public func keys(forStore storeID: String) -> [DataKey] { kept[storeID].map { [$0] } ?? [] }

    public func makeKey(forStore storeID: String) throws -> DataKey {
        let key = try kept[storeID] ?? DataKey(random: random)
        kept[storeID] = key
        return key
    }
}
