import Foundation
import IdentityKit
import TestSupport
import Testing

/// Every command line of the documentation is one the tool understands.
@Suite struct DocumentedCommandTests {
    @Test("Every command that a page shows exists, with its options")
    func commands() async throws {
        let tool = try await DocumentedTool.load()
        var count = 0
        for page in DocumentedTool.pages {
            let text = try String(contentsOf: page, encoding: .utf8)
            for line in DocumentedTool.commandLines(in: text) {
                count += 1
                #expect(tool.problem(with: line) == nil, "\(page.lastPathComponent): \(line.joined(separator: " "))")
            }
        }
        #expect(count > 30)
    }

    @Test("Bash can read every block that is meant for it")
    func syntax() async throws {
        for page in DocumentedTool.pages {
            let text = try String(contentsOf: page, encoding: .utf8)
            for block in DocumentedTool.shellBlocks(in: text) {
                let run = try ToolProcess.Run(["-n"], of: URL(fileURLWithPath: "/bin/bash"), input: block)
                let result = await run.finish()
                #expect(result.status == 0, "\(page.lastPathComponent): \(result.errors)")
            }
        }
    }

    @Test("A command that does not exist is found, and so is an option")
    func seeds() async throws {
        let tool = try await DocumentedTool.load()
        #expect(tool.problem(with: ["identity", "sign-in"]) != nil)
        #expect(tool.problem(with: ["identity", "token", "--forma", "json"]) != nil)
        #expect(tool.problem(with: ["identity", "config", "check", "identity.json"]) == nil)
    }
}

/// The tool's commands, and the pages that show them.
struct DocumentedTool {
    /// The words that lead to each command, and its options.
    let commands: [(words: [String], options: Set<String>)]

    static func load() async throws -> DocumentedTool {
        let help = try await Tool.run("--experimental-dump-help").output
        let document = try JSONValue(parsing: Data(help.utf8))
        return DocumentedTool(commands: leaves(of: document["command"] ?? .null, after: []))
    }

    private static func leaves(of command: JSONValue, after words: [String]) -> [(
        words: [String], options: Set<String>
    )] {
        let children = command["subcommands"]?.arrayValue ?? []
        guard children.isEmpty else {
            return children.flatMap { leaves(of: $0, after: words + [$0["commandName"]?.stringValue ?? ""]) }
        }
        // Options that only the tool itself writes are hidden.
        let shown = command["arguments"]?.arrayValue?.filter { $0["shouldDisplay"] != false } ?? []
        let names = shown.flatMap { $0["names"]?.arrayValue ?? [] }
        let options = names.map { name in
            (name["kind"]?.stringValue == "long" ? "--" : "-") + (name["name"]?.stringValue ?? "")
        }
        return [(words, Set(options))]
    }

    /// What the tool would not understand; `nil` when it understands everything.
    func problem(with line: [String]) -> String? {
        let words = Array(line.dropFirst())
        guard let command = commands.first(where: { words.starts(with: $0.words) }) else { return "no such command" }
        let own = words.prefix { $0 != "--" }
        return own.first { $0.hasPrefix("-") && !command.options.contains($0) }
    }

    // MARK: The pages

    static let root = PackageFolder.url

    /// Every page that may show a command.
    static let pages: [URL] = {
        let folders = ["Sources", "Providers"].map(root.appendingPathComponent)
        let files = folders.flatMap { folder in
            (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? [])
                .filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.map(folder.appendingPathComponent)
        }
        return files + [root.appendingPathComponent("README.md"), root.appendingPathComponent("CONTRIBUTING.md")]
    }()

    /// Every page at all, those for contributors as well.
    static let allPages: [URL] =
        pages
        + ["Documentation", ".github", ".ci"].flatMap { folder in
            // What the pages of the examples say, `.ci/examples/run` does. `Pages` has copies of the articles.
            files(in: folder) { $0.hasSuffix(".md") && !$0.contains("Examples/") && !$0.hasPrefix("Pages/") }
        }

    /// The code whose messages and comments people read.
    static let sources: [URL] = ["Sources", "Providers"].flatMap { folder in
        files(in: folder) { $0.hasSuffix(".swift") && !$0.contains("identity-benchmarks/") }
    }

    private static func files(in folder: String, where isMeant: (String) -> Bool) -> [URL] {
        let place = root.appendingPathComponent(folder)
        let paths = FileManager.default.enumerator(atPath: place.path)?.allObjects as? [String] ?? []
        return paths.sorted().filter(isMeant).map(place.appendingPathComponent)
    }

    /// A file as people name it.
    static func path(of file: URL) -> String { String(file.path.dropFirst(root.path.count + 1)) }

    /// The blocks for a shell.
    static func shellBlocks(in text: String) -> [String] {
        text.components(separatedBy: "```sh\n").dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
    }

    /// The words of every call of the tool: in a shell block, and as code in a sentence.
    static func commandLines(in text: String) -> [[String]] {
        let sentences = text.matches(of: /`(identity [^`]+)`/).map { String($0.1).replacing("\n", with: " ") }
        let lines = shellBlocks(in: text).flatMap {
            $0.replacing("\\\n", with: " ").split(separator: "\n").map(String.init)
        }
        return (sentences + lines).flatMap { line in
            line.matches(of: /(?:^|[|(]\s*|swift run )(identity [^|)#"<>]+)/).map { match in
                match.1.split(separator: " ").map(String.init)
            }
        }.filter { $0.count > 1 }
    }
}
