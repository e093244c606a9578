import Foundation
import IdentityKit
import IdentityPresets
import IdentityOAuth
import Testing

/// The files of the presets, and the page that lists them.
@Suite struct PresetFileTests {
    @Test("Every file is a preset under its own name, and none is left out")
    func complete() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Presets.folder.appendingPathComponent("Presets").path)
        #expect(files.sorted() == Presets.types.map { "\($0).json" }.sorted())
        #expect(files.count == 22)
        #expect(try KnownProviders.read() == KnownProviders.presets)
        #expect(Presets.registry.presets == KnownProviders.presets)
    }

    @Test("A preset cites its source and says what is not certain, in few words", arguments: Presets.types)
    func facts(type: String) throws {
        let preset = try Presets.preset(type)
        #expect(preset.page.scheme == "https" && !preset.name.isEmpty && !preset.untried.isEmpty)
        #expect(preset.date.wholeMatch(of: /20\d\d-(0[1-9]|1[0-2])/) != nil)
        #expect((2...5).contains(preset.notes.count))
        for sentence in preset.notes + [preset.untried] + preset.parameters.map(\.meaning) {
            #expect(sentence.hasSuffix(".") && sentence.firstMatch(of: /\[[0-9]+\]/) == nil, "\(sentence)")
        }
        let file = Presets.folder.appendingPathComponent("Presets/\(type).json")
        #expect(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count < 70)
    }

    @Test(
        "A preset resolves with what it asks for, and asks for nothing that it does not need", arguments: Presets.types)
    func resolves(type: String) throws {
        let preset = try Presets.preset(type)
        let settings = Presets.needed(by: preset)
        #expect(try Presets.chain(type, settings).realms == ["vendor"])
        for name in preset.parameters.filter({ $0.default == nil }).map(\.name) + ["clientID", "redirectURI"] {
            let error = #expect(throws: ConfigurationError.self) {
                try Presets.chain(type, settings.filter { $0.key != name })
            }
            #expect(error == .missingKey(keyPath: "providers[0].settings.\(name)"))
        }
        let optional = preset.parameters.filter { $0.default != nil }.map(\.name)
        #expect(try Presets.chain(type, settings.filter { !optional.contains($0.key) }).realms == ["vendor"])
    }

    @Test("No parameter has the name of a setting", arguments: Presets.types)
    func names(type: String) throws {
        let preset = try Presets.preset(type)
        let settings = ProviderRegistry(KnownProviders.plugins).settings(of: preset.base)?["properties"]
        #expect(settings?["issuer"] != nil)
        for parameter in preset.parameters { #expect(settings?[parameter.name] == nil, "\(parameter.name)") }
    }

    @Test("The schema asks for the parameters, and not for what the preset has", arguments: Presets.types)
    func schema(type: String) throws {
        let preset = try Presets.preset(type)
        let schema = try #require(Presets.registry.settings(of: type))
        let required = schema["required"]?.arrayValue ?? []
        let needed = preset.parameters.filter { $0.default == nil }.map { JSONValue.string($0.name) }
        #expect(required.contains("issuer") == false && required.contains("account") == false)
        #expect(needed.allSatisfy(required.contains))
        for parameter in preset.parameters {
            #expect(schema["properties"]?[parameter.name]?["description"]?.stringValue == parameter.meaning)
        }
        #expect(schema["$ref"]?.stringValue == "#/$defs/\(preset.base)-of-presets")
        #expect(schema["unevaluatedProperties"] == false)
        let base = Presets.registry.schema["$defs"]?["\(preset.base)-of-presets"]
        #expect(base?["properties"]?["clientID"] != nil && base?["required"] == nil)
        #expect(base?["additionalProperties"] == nil && base?["properties"]?["account"]?["required"] == nil)
    }

    /// To write the table anew: `SWIFT_IDENTITY_RECORD=1 swift test --filter PresetFile`.
    @Test("The page lists every preset")
    func page() throws {
        let file = Presets.folder.appendingPathComponent("IdentityPresets.docc/IdentityPresets.md")
        let head = "| Type | Vendor | Base | Asks for | Vendor's page | Facts of |\n|---|---|---|---|---|---|\n"
        let rows = KnownProviders.presets.map { preset in
            let required = preset.parameters.filter { $0.default == nil }.map(\.name) + preset.needs
            let names = required.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(preset.type)` | \(preset.name) | `\(preset.base)` | \(names) "
                + "| [page](\(preset.page.absoluteString)) | \(preset.date) |"
        }
        let table = head + rows.joined(separator: "\n") + "\n"
        var page = try String(contentsOf: file, encoding: .utf8)
        if ProcessInfo.processInfo.environment["SWIFT_IDENTITY_RECORD"] == "1" {
            let start = try #require(page.range(of: "| Type |")).lowerBound
            let end = try #require(page.range(of: "\n\n", range: start..<page.endIndex)).lowerBound
            page.replaceSubrange(start...end, with: table)
            try page.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(page.contains("\n\n\(table)\n"))
    }
}

extension ProviderRegistry {
    /// The JSON Schema of the settings of a type.
    func settings(of type: String) -> JSONValue? {
        schema["$defs"]?["provider"]?["allOf"]?.arrayValue?.first {
            $0["if"]?["properties"]?["type"]?["const"]?.stringValue == type
        }?["then"]?["properties"]?["settings"]
    }
}
