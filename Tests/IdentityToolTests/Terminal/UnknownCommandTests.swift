import Testing

@Suite struct UnknownCommandTests {
    @Test(
        "A misspelt command is told with the one that was meant, as a mistake of the command line",
        arguments: [
            ("tokn", "token"), ("Login", "login"), ("acounts --json", "accounts"),
            ("config chek x.json", "config check"),
            ("help whoamy", "whoami"), ("-v logn", "login"), ("halp", "help"), ("plugin nwe Acme", "plugin new"),
        ])
    func misspelt(line: String, meant: String) async throws {
        let result = try await Tool.run(line.split(separator: " ").map(String.init))
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.contains("Did you mean \"\(meant)\"?"), "\(result.errors)")
    }

    @Test(
        "A word that is near none is named, and help for it is a mistake too",
        arguments: [
            ("frobnicate", "frobnicate"), ("help frobnicate", "frobnicate"), ("store frobnicate", "store frobnicate"),
        ])
    func unknown(line: String, name: String) async throws {
        let result = try await Tool.run(line.split(separator: " ").map(String.init))
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.contains("There is no command \"\(name)\"."), "\(result.errors)")
        #expect(!result.errors.contains("Did you mean"))
    }

    @Test(
        "Help for a command that there is stays help", arguments: ["help", "help token", "help config check", "config"])
    func help(line: String) async throws {
        let result = try await Tool.run(line.split(separator: " ").map(String.init))
        #expect(result.status == 0 && result.output.contains("USAGE: identity"), "\(result.errors)")
    }
}
