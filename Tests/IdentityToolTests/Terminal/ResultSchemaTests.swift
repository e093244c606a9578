import Foundation
import IdentityKit
import TestSupport
import Testing

/// What the commands print with `--json`, and the schema of it.
@Suite(.endsInTime) struct ResultSchemaTests {
    private func schema(_ words: String...) async throws -> JSONValue {
        let result = try await Tool.run(
            words + ["--json", "--schema"], environment: ["XDG_CONFIG_HOME": MissingPath.make()]
        )
        #expect(result.status == 0, "\(words): \(result.errors)")
        return try JSONValue(parsing: Data(result.output.utf8))
    }

    @Test("What a command prints is what its schema says")
    func results() async throws {
        try await withTool { fixture in
            let login = try await fixture.run(
                "login", "--provider", "home", "--username", fixture.insForge.user.email, "--password-stdin", "--json",
                input: fixture.insForge.user.password + "\n")
            let schemaOfLogin = try await schema("login")
            #expect(schemaOfLogin.flaws(of: try JSONValue(parsing: Data(login.output.utf8))) == [])
            for words in [
                ["whoami"], ["accounts"], ["providers"], ["providers", "--known"], ["providers", "--types"],
                ["providers", "oauth2"], ["explain"], ["doctor"], ["token"],
                ["switch", "home"], ["logout"],
            ] {
                let result = try await Tool.run(words + ["--json"], environment: fixture.environment)
                let schema = try await Tool.run(words + ["--json", "--schema"])
                let document = try JSONValue(parsing: Data(schema.output.utf8))
                #expect(document["title"]?.stringValue?.contains(words[0]) == true)
                #expect(document.flaws(of: try JSONValue(parsing: Data(result.output.utf8))) == [], "\(words)")
            }
        }
    }

    @Test("The schema of the servers that run, and of the demo, is the one of what they print")
    func servers() async throws {
        let fixture = try ServeFixture()
        try await fixture.serve { announcement in
            let document = try await self.schema("serve")
            #expect(document.flaws(of: announcement) == [])
        }
        let demo = try await Tool.run("demo", "--json")
        let document = try await schema("demo")
        #expect(document.flaws(of: try JSONValue(parsing: Data(demo.output.utf8))) == [])
    }

    @Test("The schema of a command that needs arguments needs none")
    func arguments() async throws {
        for words in [["erase"], ["store", "audit"], ["store", "purge"], ["store", "rekey"], ["events"]] {
            let result = try await Tool.run(words + ["--json", "--schema"])
            #expect(result.status == 0, "\(words): \(result.errors)")
        }
    }

    @Test("A command that is asked for its schema alone does nothing else")
    func alone() async throws {
        try await withTool { fixture in
            let account = try await fixture.signIn().output.trimmingCharacters(in: .newlines)
            for words in [["logout"], ["logout", "--all"], ["erase", "--yes", account], ["token"], ["login"]] {
                let result = try await Tool.run(words + ["--schema"], environment: fixture.environment)
                #expect(result.status == 0 && result.errors.isEmpty, "\(words): \(result.errors)")
                let schema = try await Tool.run(words + ["--json", "--schema"])
                #expect(result.output == schema.output)
            }
            #expect(try await fixture.run("accounts", "--json").output.contains(account))
        }
    }

    @Test("Members are spelt in one way: as in Swift")
    func spelling() async throws {
        for words in [
            ["whoami"], ["login"], ["providers"], ["providers", "--known"], ["providers", "--types"],
            ["providers", "oauth2"], ["explain"], ["doctor"], ["token"],
            ["logout"], ["erase"], ["events"], ["serve"], ["demo"], ["store", "audit"], ["store", "purge"],
            ["store", "rekey"],
        ] {
            let result = try await Tool.run(words + ["--json", "--schema"])
            for name in try JSONValue(parsing: Data(result.output.utf8)).memberNames {
                #expect(name.wholeMatch(of: /[a-z][A-Za-z0-9]*/) != nil, "\(words): \(name)")
            }
        }
    }
}

extension JSONValue {
    /// The names of members in a schema, however deep.
    fileprivate var memberNames: [String] {
        let own = self["properties"]?.objectValue ?? [:]
        return own.keys + own.values.flatMap(\.memberNames) + (self["items"]?.memberNames ?? [])
    }

    /// Where `value` is not what this schema says; the words of JSON Schema that the tool's schemas use are known.
    fileprivate func flaws(of value: JSONValue, at path: String = "$") -> [String] {
        var flaws: [String] = []
        if let type = self["type"]?.stringValue, !value.isA(type) { flaws.append("\(path) is no \(type)") }
        if let values = self["enum"]?.arrayValue, !values.contains(value) { flaws.append("\(path) is another word") }
        if let items = self["items"] {
            for element in value.arrayValue ?? [] { flaws += items.flaws(of: element, at: path + "[]") }
        }
        guard let members = self["properties"]?.objectValue, let found = value.objectValue else { return flaws }
        for name in self["required"]?.arrayValue ?? [] where found[name.stringValue ?? ""] == nil {
            flaws.append("\(path).\(name.stringValue ?? "") is missing")
        }
        for (name, member) in found {
            guard let schema = members[name] else {
                flaws.append("\(path).\(name) is not in the schema")
                continue
            }
            flaws += schema.flaws(of: member, at: "\(path).\(name)")
        }
        return flaws
    }

    private func isA(_ type: String) -> Bool {
        switch (type, self) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("integer", .integer),
            ("number", .integer), ("number", .number):
            true
        default: false
        }
    }
}
