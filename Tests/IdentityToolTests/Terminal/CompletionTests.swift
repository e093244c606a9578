import Foundation
import IdentityKit
import TestSupport
import Testing

/// Words that a shell offers because its completion script asks the tool for them.
@Suite(.endsInTime) struct CompletionTests {
    /// Words for the last of the words, which belongs to `argument` of the command.
    private func offers(_ argument: String, _ words: [String], _ fixture: ToolFixture) async throws -> [String] {
        let command = Array(words.prefix { !$0.hasPrefix("-") && !$0.isEmpty })
        let request = ["---completion"] + command + ["--", argument, "\(words.count)", "0", "identity"] + words
        let result = try await Tool.run(request, environment: fixture.environment)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        // The parser remembers for which shell the process has last printed a script: for zsh it adds a word of one space.
        return result.output.split(separator: "\n").map(String.init).filter { $0 != " " }
    }

    @Test("The providers and the profiles of the configuration that is named are offered")
    func configured() async throws {
        try await withTool { fixture in
            #expect(try await offers("--provider", ["login", "--provider", ""], fixture) == ["work", "home", "any"])
            let provider = #"{"providers": [{"name": "guest", "type": "anonymous", "settings": {}}]}"#
            let file = fixture.folder.appendingPathComponent("other.json")
            // A shell would read two words from a name with a line feed.
            let profiles = #"{"a": \#(provider), "b": \#(provider), "c\nd": \#(provider)}"#
            try Data(#"{"profiles": \#(profiles)}"#.utf8).write(to: file)
            let named = ["--config", file.path]
            #expect(try await offers("--profile", ["token"] + named + ["--profile", ""], fixture) == ["a", "b"])
            let words = ["login"] + named + ["--profile", "a", "--provider", ""]
            #expect(try await offers("--provider", words, fixture) == ["guest"])
            // Without a configuration there is nothing to offer, and no error in the middle of a line.
            let missing = ["login", "--config", file.path + ".missing", "--provider", ""]
            #expect(try await offers("--provider", missing, fixture).isEmpty)
        }
    }

    @Test("The accounts of the store are offered by identifier and address", arguments: ["switch", "logout", "erase"])
    func accounts(command: String) async throws {
        try await withTool { fixture in
            let state = fixture.folder.appendingPathComponent("state")
            #expect(try await offers("positional@0", [command, ""], fixture).isEmpty)
            #expect(!FileManager.default.fileExists(atPath: state.path))
            try await fixture.keep(AccountID(account: "1", realm: "home"), at: fixture.insForge.url) {
                $0.profile = AccountProfile(email: "ada@example.com")
            }
            try await fixture.end(
                AccountID(account: "2", realm: "home"),
                #"{"endReason": "It is over.", "signedInAt": 0, "backend": "b"}"#)
            #expect(try await offers("positional@0", [command, ""], fixture) == ["ada@example.com", "home/1"])
            #expect(
                try await offers("--account", ["token", "--account", ""], fixture) == ["ada@example.com", "home/1"])
        }
    }

    @Test("The completion scripts ask for accounts, providers and profiles", arguments: ["bash", "zsh", "fish"])
    func scripts(shell: String) async throws {
        let script = try await Tool.run("completion", shell).output
        for request in ["login -- --provider", "token -- --profile", "switch -- positional@0"] {
            #expect(script.contains("---completion \(request)"), "\(request)")
        }
    }
}
