import IdentityKit

/// The store type `dictionary`: a configuration names it as `{ "type": "dictionary", "capacity": 100 }`.
public enum DictionaryStorePlugin: StorePlugin {
    public static let type = "dictionary"

    public struct Settings: Decodable, Sendable {
        let capacity: Int

        public init(from decoder: any Decoder) throws {
            let reader = try SettingsReader(decoder)
            capacity = try reader.read(
                "capacity", means: "The largest number of records.", example: 100, default: 10_000)
            guard capacity > 0 else { throw reader.mistake("capacity", "No record fits in. Write at least 1.") }
        }
    }

    public static func openStore(settings: Settings, context: StoreContext) -> any TokenStore {
        DictionaryStore(capacity: settings.capacity, time: context.time)
    }
}
