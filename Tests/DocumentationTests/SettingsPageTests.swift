import Foundation
import IdentityKit
import Testing

/// The pages of settings, and that what they say is true.
@Suite struct SettingsPageTests {
    /// The pages, which are written here.
    static let pages = ["Settings.md", "SettingsOfVendors.md"]

    private static let references = ProviderRegistry.everyType.references

    /// To refresh the pages after a change of the types: `SWIFT_IDENTITY_RECORD=1 swift test --filter SettingsPage`.
    @Test("The pages are what the types read")
    func pagesAreWritten() throws {
        try compare(
            Self.pages[0],
            SettingsPage(
                title: "Settings",
                introduction: """
                    What a configuration document says, and what each type of provider and of store can be told in it, with
                    an example and the default.

                    <doc:SwitchingBackends> explains the document. Settings of a provider are members of its `settings`; those
                    of a store stand beside its `type`. A path such as `key.home` is a member of a member. `${NAME}` in a value
                    stands for an environment variable. The types that stand for a vendor are in <doc:SettingsOfVendors>. At a
                    terminal, `identity providers openid-connect` shows the same of a type.
                    """, document: ProviderRegistry.everyType.documentReferences,
                references: Self.references.filter { $0.base == nil }))
        try compare(
            Self.pages[1],
            SettingsPage(
                title: "Settings of vendors",
                introduction: """
                    What the types that stand for a vendor ask for, and what they say in the place of their base type.

                    Each takes every other setting of its base type too; those are in <doc:Settings>. At a terminal,
                    `identity providers keycloak` shows the same.
                    """, references: Self.references.filter { $0.base != nil }))
    }

    private func compare(_ name: String, _ page: SettingsPage) throws {
        let file = Documents.root.appendingPathComponent("Sources/IdentityKit/IdentityKit.docc/\(name)")
        if ProcessInfo.processInfo.environment["SWIFT_IDENTITY_RECORD"] == "1" {
            try page.text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == page.text)
    }

    @Test("Every setting has a sentence that says what it is for, and an example", arguments: references)
    func described(_ reference: SettingsReference) {
        for setting in reference.settings {
            #expect(setting.meaning.hasSuffix("."), "\(reference.type): \(setting.keyPath)")
            #expect(setting.example != nil, "\(reference.type): \(setting.keyPath)")
        }
    }

    @Test("Every member of a document has a sentence that says what it is for, and an example")
    func documentDescribed() {
        for setting in ProviderRegistry.everyType.documentReferences.flatMap(\.settings) {
            #expect(setting.meaning.hasSuffix("."), "\(setting.keyPath)")
            #expect(setting.example != nil, "\(setting.keyPath)")
        }
    }

    @Test("Every complete example is a configuration", arguments: references)
    func examples(_ reference: SettingsReference) throws {
        let folder = try ExampleFolder()
        defer { folder.remove() }
        let file = folder.url.appendingPathComponent("identity.json")
        try JSONEncoder().encode(reference.example).write(to: file)
        let configuration = try IdentityConfiguration(contentsOf: file, variables: ExampleFolder.variables)
        #expect(configuration.providers.count == 1)
        let environment = IdentityEnvironment(store: MemoryTokenStore(), variables: ExampleFolder.variables)
        _ = try ProviderRegistry.everyType.makeChain(for: configuration, environment: environment)
        #if !canImport(Security)
        if reference.type == "keychain" { return }
        #endif
        // The tests are built without the client of PostgreSQL.
        guard reference.type != "postgres" else { return }
        let context = StoreContext(
            time: .system, variables: ExampleFolder.variables.merging(["HOME": folder.url.path]) { $1 })
        try ProviderRegistry.everyType.stores.check(configuration.store, in: context)
    }
}
