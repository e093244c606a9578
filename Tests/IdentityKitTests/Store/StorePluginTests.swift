import Foundation
import IdentityKit
import Testing

/// Store types that an app registers.
@Suite struct StorePluginTests {
    /// A store in memory with a name.
    private enum ShelfPlugin: AdministeredStorePlugin {
        struct Settings: Decodable {
            let label: Secret
            let size: Int?
        }

        static let type = "shelf"

        static func place(of settings: Settings) -> String { "on a shelf of \(settings.size ?? 0)" }

        static func openStore(settings: Settings, context: StoreContext) throws -> any TokenStore {
            guard settings.size != 13 else { throw TokenStoreError.unsupported(detail: "no shelf has 13 places") }
            return MemoryTokenStore()
        }

        static func migration(settings: Settings) -> String? { "BUILD SHELF" }
    }

    /// A store type as an app states it.
    private enum PlainPlugin: StorePlugin {
        struct Settings: Decodable {}

        static let type = "plain"

        static func openStore(settings: Settings, context: StoreContext) -> any TokenStore { MemoryTokenStore() }
    }

    private let registry = StoreRegistry([ShelfPlugin.self])

    private func configuration(_ store: String) throws -> StoreConfiguration {
        try IdentityConfiguration(
            parsing: Data(#"{"store": \#(store), "providers": [{"name": "a", "type": "t", "settings": {}}]}"#.utf8),
            variables: ["LABEL": "hunter2"]
        ).store
    }

    @Test("A registered type is opened from its settings, and what it says of itself is without its secrets")
    func opened() throws {
        let shelf = try configuration(#"{"type": "shelf", "label": "${LABEL}", "size": 3}"#)
        #expect(try registry.open(shelf) is MemoryTokenStore)
        #expect(try registry.place(of: shelf) == "on a shelf of 3")
        #expect(try registry.migration(of: shelf) == "BUILD SHELF")
        var text = ""
        dump(shelf, to: &text)
        #expect(!text.contains("hunter2") && text.contains("label"))
    }

    @Test("A type that only opens stores is checked by opening one, and says nothing of itself")
    func plain() async throws {
        let (registry, plain) = (StoreRegistry([PlainPlugin.self]), StoreConfiguration(type: PlainPlugin.type))
        try registry.check(plain)
        #expect(try registry.place(of: plain) == nil)
        #expect(try registry.migration(of: plain) == nil)
        #expect(try await registry.examine(plain).isEmpty)
    }

    @Test("What is written is read again")
    func roundTrip() throws {
        let shelf = try configuration(#"{"type": "shelf", "label": "x", "size": 3}"#)
        #expect(try JSONDecoder().decode(StoreConfiguration.self, from: JSONEncoder().encode(shelf)) == shelf)
    }

    @Test(
        "A mistake is told with its key path, and a type with the one that was probably meant",
        arguments: [
            (
                #"{"type": "shelff"}"#,
                #"store.type is "shelff", a store type that this program does not know. Did you mean "shelf"?"#
            ),
            (#"{"type": "disk"}"#, "Known: memory, file, keychain, shelf."),
            (#"{"type": "shelf"}"#, "store.label is missing"),
            (#"{"type": "shelf", "label": "x", "sise": 3}"#, "store.sise is not a known setting"),
            (#"{"type": "shelf", "label": "x", "size": "3"}"#, "store.size"),
            (#"{"type": "shelf", "label": "x", "size": 13}"#, "no shelf has 13 places"),
        ])
    func mistakes(text: String, words: String) throws {
        let store = try configuration(text)
        let error = #expect(throws: (any Error).self) { try registry.open(store) }
        let message = (error as? any IdentityFailure)?.message ?? ""
        #expect(message.contains(words), "\(message)")
        #expect(throws: (any Error).self) { try registry.check(store) }
    }

    @Test("Without its registry a type is refused, and the others need none")
    func withoutRegistry() throws {
        let shelf = try configuration(#"{"type": "shelf", "label": "x"}"#)
        let error = #expect(throws: ConfigurationError.self) { try shelf.open() }
        #expect(error?.failureCode == "configuration_unknown_store_type")
        #expect(try StoreRegistry().open(.memory) is MemoryTokenStore)
        #expect(StoreRegistry().types == ["memory", "file", "keychain"])
    }

    @Test("The schema has the settings of a registered type, and those of no other")
    func schema() throws {
        var providers = ProviderRegistry()
        providers.register(ShelfPlugin.self)
        #expect(providers.storeTypes == ["memory", "file", "keychain", "shelf"])
        let store = try #require(providers.schema["$defs"]?["configuration"]?["properties"]?["store"])
        #expect(store["properties"]?["type"]?["enum"] == ["memory", "file", "keychain", "shelf"])
        let branches = try #require(store["allOf"]?.arrayValue)
        #expect(branches.count == 4)
        for branch in branches {
            let isShelf = branch["if"]?["properties"]?["type"]?["const"] == "shelf"
            #expect((branch["then"]?["properties"]?["label"] != nil) == isShelf)
        }
    }
}
