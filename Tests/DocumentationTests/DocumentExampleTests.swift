import Foundation
import IdentityKit
import Testing

/// Every example of what a document says is read, and every default is what an absent member yields.
@Suite struct DocumentExampleTests {
    private let registry = ProviderRegistry.everyType

    @Test("Every complete example makes a chain")
    func completeExamples() throws {
        for reference in registry.documentReferences {
            let environment = IdentityEnvironment(store: MemoryTokenStore(), variables: [:])
            _ = try registry.makeChain(for: try configuration(in: reference.example), environment: environment)
        }
    }

    @Test("Every example of a member is read, and every default is what an absent member yields")
    func members() throws {
        for reference in registry.documentReferences {
            for setting in reference.settings {
                let name = setting.keyPath
                let shown = try configuration(in: reference.example(with: setting.example, at: name))
                guard let standard = setting.default else { continue }
                let absent = try configuration(in: reference.example(with: nil, at: name)).inWords
                #expect(absent != shown.inWords, "\(name)")
                let written = try configuration(in: reference.example(with: standard, at: name))
                #expect(absent == written.inWords, "\(name)")
            }
        }
    }

    private func configuration(in document: JSONValue) throws -> IdentityConfiguration {
        try IdentityConfiguration(parsing: try JSONEncoder().encode(document), variables: [:])
    }
}

extension DocumentReference {
    /// The complete example with another value of a member, or without it.
    fileprivate func example(with value: JSONValue?, at member: String) -> JSONValue {
        guard part == .provider else { return example.setting(value, at: member) }
        let provider = example["providers"]?.arrayValue?.first ?? [:]
        return ["providers": [provider.setting(value, at: member)]]
    }
}

extension IdentityConfiguration {
    fileprivate var inWords: String {
        var text = ""
        dump(self, to: &text)
        return text
    }
}
