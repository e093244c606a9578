import Foundation
import IdentityKit
import TestSupport
import Testing

@testable import IdentityTool

/// Nothing that comes from a file, a variable or a name controls a terminal.
@Suite(.endsInTime) struct ControlCharacterTests {
    /// Makes the text after it red.
    private static let escape = "\u{1B}[31m"

    private static let references = ToolCall(
        ToolContext(
            environment: [:], folder: URL(fileURLWithPath: "/"), output: ToolContext.Output { _ in },
            errors: ToolContext.Output { _ in })
    ).registry.references

    /// - Returns: whether the escape was written in another way.
    @discardableResult
    private func expectHarmless(_ result: ToolProcess.Result, _ subject: String) -> Bool {
        let text = result.output + result.errors
        let steers = text.unicodeScalars.contains {
            $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
        }
        #expect(!steers, "\(subject.debugDescription): \(text.debugDescription)")
        return text.contains(#"\u{1B}"#)
    }

    @Test("A text or a key of a configuration controls no terminal, whatever is wrong with it", arguments: references)
    func settings(_ reference: SettingsReference) async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("identity.json")
        var isShown = false
        for document in reference.example.planting(Self.escape) {
            try JSONEncoder().encode(document).write(to: file)
            let result = try await Tool.run("config", "check", file.path)
            if expectHarmless(result, "\(document)") { isShown = true }
        }
        #expect(isShown, "\(reference.type)")
    }

    @Test("The name of a file, a folder, a profile or an account, an argument and a variable control no terminal")
    func names() async throws {
        try await withTool { fixture in
            let folder = fixture.folder.appendingPathComponent("a\(Self.escape)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appendingPathComponent("identity.json")
            let home: JSONValue = ["baseURL": .string(fixture.insForge.url.absoluteString), "allowsLoopbackHTTP": true]
            let given: JSONValue = ["token": "its-token", "account": .string("ada\(Self.escape)")]
            let profile: JSONValue = [
                "store": [
                    "type": "file", "folder": .string(folder.appendingPathComponent("state").path),
                    "key": ["home": "key-file"],
                ],
                "providers": [
                    ["name": "home", "type": "insforge", "settings": home],
                    ["name": "given", "type": "static-token", "settings": given],
                ],
            ]
            let name = "p\(Self.escape)"
            let document: JSONValue = ["defaultProfile": .string(name), "profiles": .object([name: profile])]
            try JSONEncoder().encode(document).write(to: file)
            var environment = fixture.environment
            environment["IDENTITY_CONFIG"] = file.path

            let word = "x\(Self.escape)"
            let lines = [
                ["config", "check"], ["config", "check", "--profile", word], ["doctor", "--offline"], ["whoami"],
                ["accounts"], ["explain"], ["providers"], ["token"], ["token", "--scope", word], ["switch", word],
                ["login"], ["login", "--provider", word], ["logout", word], ["erase", word], ["providers", word],
                ["init", word], ["init", "anonymous", "--offline", "--name", word], ["init", "--type", word],
                ["init", "insforge", "--set", "baseURL=\(word)", "--offline"], ["config", "init", "--type", word],
                ["whoami", "--config", word], ["token", "--account", word], ["whoami", "--profile", word],
                ["request", word], ["exec", "--", word],
                [word], ["store", "audit", word], ["doctor", "--offline", "--config", word],
            ]
            var shown = 0
            for words in lines {
                let result = try await Tool.run(words, environment: environment)
                if expectHarmless(result, "\(words)") { shown += 1 }
            }
            #expect(shown > 12)
            for variable in [
                "IDENTITY_CONFIG", "SWIFT_IDENTITY_PROFILE", "SWIFT_IDENTITY_PROVIDER", "SWIFT_IDENTITY_ACCOUNT",
                "SWIFT_IDENTITY__home__baseURL",
                "SWIFT_IDENTITY__\(word)__baseURL", "SWIFT_IDENTITY__home__\(word)",
            ] {
                for words in [["whoami"], ["doctor", "--offline"], ["config", "check"]] {
                    let result = try await Tool.run(words, environment: environment.merging([variable: word]) { $1 })
                    expectHarmless(result, "\(variable) \(words)")
                }
            }
        }
    }

    @Test("A name that a server has for a person controls no terminal")
    func profile() async throws {
        try await withTool { fixture in
            let account = AccountID(account: "1\(Self.escape)", realm: "home")
            try await fixture.keep(account, at: fixture.insForge.url) {
                $0.profile = AccountProfile(displayName: "Ada\(Self.escape)", email: "ada@example.com")
            }
            for line in ["accounts", "whoami", "explain", "providers", "switch Ada", "switch nobody", "logout"] {
                expectHarmless(try await fixture.run(line: line), line)
            }
        }
    }
}

extension JSONValue {
    /// The value once for each of its texts and keys, with `text` behind that one.
    fileprivate func planting(_ text: String) -> [JSONValue] {
        switch self {
        case .string(let own): return [.string(own + text)]
        case .array(let elements):
            return elements.indices.flatMap { index in
                elements[index].planting(text).map { changed in
                    var elements = elements
                    elements[index] = changed
                    return .array(elements)
                }
            }
        case .object(let members):
            return members.flatMap { key, value in
                var renamed = members
                renamed[key] = nil
                renamed[key + text] = value
                let changed = value.planting(text).map { JSONValue.object(members.merging([key: $0]) { $1 }) }
                return changed + [JSONValue.object(renamed)]
            }
        case .null, .bool, .integer, .number: return []
        }
    }
}
