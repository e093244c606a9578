import Foundation
import IdentityKit
import TestSupport
import Testing

/// Accounts without a session in the store, such as guests.
@Suite struct GivenAccountTests {
    @Test("A guest is listed while they are active, as they are shown elsewhere")
    func guest() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("identity.json")
        let store: JSONValue = [
            "type": "file", "folder": .string(folder.file("state").path),
            "key": ["home": "keyFile", "path": .string(folder.file("state.key").path)],
        ]
        let provider: JSONValue = ["name": "guest", "type": "anonymous", "settings": [:]]
        try JSONEncoder().encode(["store": store, "providers": [provider]] as JSONValue).write(to: file)
        func run(_ words: String...) async throws -> ToolProcess.Result {
            try await Tool.run(words, environment: ["IDENTITY_CONFIG": file.path])
        }
        let shown = try await run("whoami").output.trimmingCharacters(in: .newlines)
        #expect(shown.hasPrefix("guest/"))
        for words in [["accounts"], ["accounts", "--limit", "1"], ["accounts", "--limit", "3"]] {
            let list = try await Tool.run(words, environment: ["IDENTITY_CONFIG": file.path])
            #expect(list.status == 0 && list.output == "* \(shown)  given\n" && list.errors.isEmpty, "\(words)")
        }
        let rows = try JSONValue(parsing: Data(try await run("accounts", "--json").output.utf8))
        #expect(rows.arrayValue?.map { $0["account"] } == [.string(shown)])
    }
}
