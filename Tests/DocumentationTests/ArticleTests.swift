import Foundation
import IdentityKit
import InsForge
import IdentityPresets
import IdentityOAuthProviders
import Testing
import ThunderID

/// What the articles show is compiled and can be used, and what they claim to be shown by a test has one.
@Suite struct ArticleTests {
    private static let registry: ProviderRegistry = {
        var registry = ProviderRegistry(
            [
                ThunderIDPlugin.self, InsForgePlugin.self, OpenIDConnectPlugin.self, OAuth2Plugin.self,
                ProtectedResourcePlugin.self, WorkloadPlugin.self,
            ]
                + ProviderRegistry.corePlugins)
        registry.register(KnownProviders.presets)
        return registry
    }()

    @Test("Every library has pages")
    func catalogues() throws {
        #expect(Documents.articles.count >= 20)
        let manifest = try String(contentsOf: Documents.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let libraries = manifest.matches(of: /\.library\(name: "(\w+)"/).map { "\($0.output.1).docc" }
        let catalogues = Documents.articles.compactMap { $0.split(separator: "/").dropLast().last.map(String.init) }
        #expect(Set(catalogues) == Set(libraries))
    }

    @Test("Every Swift block of a page or a comment is compiled", arguments: Documents.everything + Documents.commented)
    func swiftBlocks(page: String) throws {
        let compiled = try Documents.snippets().union(Documents.examples())
        for block in try Documents.blocks(of: "swift", in: page) where !Self.isForManifest(block) {
            // By itself, or a failure would list everything that is compiled.
            let isCompiled = compiled.contains(block)
            #expect(isCompiled, "This block is compiled nowhere:\n\(block)")
        }
    }

    /// Whether a block is a line for `Package.swift`, which no test target can compile: `.ci/documentation/run` does.
    private static func isForManifest(_ block: String) -> Bool {
        [".package(", ".product("].contains { block.hasPrefix($0) }
    }

    @Test("Every block names its language", arguments: Documents.everything + Documents.commented)
    func languages(page: String) throws {
        for block in try CodeBlock.all(in: Documents.document(at: page)) {
            #expect(
                ["swift", "json", "sh", "sql", "yaml", "text"].contains(block.language),
                "Whose language is this?\n\(block.code)")
        }
    }

    @Test("Every page to start from begins with how to get the tool, in the same words")
    func tool() throws {
        let pages = Documents.articles.filter { $0.contains("/Starting") }
        let beginnings = try Set(pages.map { try Documents.blocks(of: "sh", in: $0).first })
        #expect(pages.count == 3 && beginnings.count == 1)
        #expect(beginnings.first??.contains("swift build --package-path swift-identity --product identity") == true)
    }

    @Test("The example provider has less than 120 lines")
    func short() throws {
        let page = "Sources/IdentityKit/IdentityKit.docc/WritingAProvider.md"
        let provider = try #require(Documents.blocks(of: "swift", in: page).first)
        #expect(provider.contains("enum AcmePlugin"))
        #expect(provider.components(separatedBy: "\n").count < 120)
    }

    /// What the configurations on the pages refer to.
    private static let variables = [
        "ANON_KEY": "anon", "REPORTS_SECRET": "a secret", "NOTES_SECRET": "a secret",
        "DATABASE_URL": "postgresql://identity@localhost/identity",
    ]

    /// The pages with configurations, without those of settings, whose examples name files: `SettingsPageTests` has them.
    private static let pagesWithConfigurations = Documents.everything.filter { page in
        !SettingsPageTests.pages.contains { page.hasSuffix("/\($0)") }
    }

    @Test("Every configuration on a page can be used, and every store", arguments: pagesWithConfigurations)
    func configurations(page: String) throws {
        for block in try Documents.blocks(of: "json", in: page) {
            let document = try JSONValue(parsing: Data(block.utf8))
            guard document["providers"] != nil || document["profiles"] != nil else {
                _ = try JSONDecoder().decode(StoreConfiguration.self, from: Data(block.utf8))
                continue
            }
            for profile in try IdentityConfiguration.profiles(in: Data(block.utf8)) {
                let configuration = try IdentityConfiguration(
                    parsing: Data(block.utf8), profile: profile,
                    variables: Self.variables)
                #expect(!configuration.providers.isEmpty)
                // A type of the reader's own, and settings that a page leaves out, nobody can check.
                let isWhole = configuration.providers.allSatisfy {
                    Self.registry.types.contains($0.type) && ($0.settings != [:] || $0.type == "anonymous")
                }
                guard isWhole else { continue }
                _ = try Self.registry.makeChain(
                    for: configuration,
                    environment: IdentityEnvironment(
                        store: MemoryTokenStore(), variables: Self.variables))
            }
        }
    }

    @Test("Every suite that an article names exists", arguments: ["SecurityModel", "RefreshingTokens"])
    func suites(article: String) throws {
        let text = try Documents.text(of: "Sources/IdentityKit/IdentityKit.docc/\(article).md")
        let named = Set(text.matches(of: /`([A-Z]\w+(?:Tests|Defects))`/).map { String($0.1) })
        let files = Documents.paths(in: "Tests") { $0.hasSuffix(".swift") }
        #expect(named.count > 5)
        for suite in named {
            #expect(files.contains { $0.hasSuffix("/\(suite).swift") }, "There is no suite \(suite).")
        }
    }

    @Test("Every page of a catalogue can be reached from its landing page", arguments: Documents.articles)
    func reachable(page: String) throws {
        let folder = page.split(separator: "/").dropLast().joined(separator: "/")
        let name = page.split(separator: "/").last?.dropLast(3) ?? ""
        let module = folder.split(separator: "/").last?.dropLast(".docc".count) ?? ""
        guard name != module else { return }
        #expect(try Documents.text(of: "\(folder)/\(module).md").contains("- <doc:\(name)>"))
    }
}
