import Foundation
import IdentityKit
import Testing

/// What the articles show is compiled, and the example provider is the one that the conformance suite runs on.
@Suite struct ArticleTests {
    private static let articles = ["FallbackChains", "SwitchingBackends", "WritingAProvider"]
        .map { "Sources/IdentityKit/IdentityKit.docc/\($0).md" }

    @Test("Every Swift block of an article is compiled", arguments: articles)
    func swiftBlocks(article: String) throws {
        let compiled = try Documents.snippets().union(Documents.examples())
        let blocks = try Documents.blocks(of: "swift", in: article)
        #expect(!blocks.isEmpty)
        for block in blocks { #expect(compiled.contains(block), "This block is compiled nowhere:\n\(block)") }
    }

    @Test("The example provider has less than 120 lines")
    func short() throws {
        let provider = try #require(Documents.blocks(of: "swift", in: Self.articles[2]).first)
        #expect(provider.contains("enum AcmePlugin"))
        #expect(provider.components(separatedBy: "\n").count < 120)
    }

    @Test("Every configuration in an article is a valid one")
    func configurations() throws {
        let blocks = try Documents.blocks(of: "json", in: Self.articles[1])
        #expect(blocks.count == 2)
        for block in blocks {
            for profile in try IdentityConfiguration.profiles(in: Data(block.utf8)) {
                let configuration = try IdentityConfiguration(
                    parsing: Data(block.utf8), profile: profile, variables: [:])
                #expect(!configuration.providers.isEmpty)
            }
        }
    }
}
