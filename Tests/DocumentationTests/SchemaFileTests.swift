import Foundation
import IdentityKit
import Testing

/// The schema beside the articles describes what this package's providers read.
@Suite struct SchemaFileTests {
    private let file = Documents.root.appendingPathComponent(
        "Sources/IdentityKit/IdentityKit.docc/Resources/identity-configuration.schema.json")

    /// To refresh the file after a change of the types: `SWIFT_IDENTITY_RECORD=1 swift test --filter SchemaFile`.
    @Test("The schema file is what the types read")
    func schemaFile() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let schema = String(decoding: try encoder.encode(ProviderRegistry.everyType.schema), as: UTF8.self) + "\n"
        if ProcessInfo.processInfo.environment["SWIFT_IDENTITY_RECORD"] == "1" {
            try schema.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == schema)
    }
}
