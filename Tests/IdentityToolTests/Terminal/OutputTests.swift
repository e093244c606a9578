import Foundation
import Testing

/// What becomes of a command whose output nobody takes, or which is told to stop.
@Suite struct OutputTests {
    /// A folder of its own for temporary files, so that what is left there is seen.
    private func leftovers(_ script: String) async throws -> (result: ToolProcess.Result, names: [String]) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("identity-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let result = try await ToolProcess.shell("export TMPDIR='\(folder.path)'; " + script)
        return (result, try FileManager.default.contentsOfDirectory(atPath: folder.path))
    }

    @Test("A reader who leaves early ends the command quietly, and nothing is left behind")
    func readerLeaves() async throws {
        let (result, names) = try await leftovers(#""$0" demo | head -n 1; exit ${PIPESTATUS[0]}"#)
        #expect(result.status == 141)
        #expect(result.output.split(separator: "\n").count == 1)
        #expect(result.errors.isEmpty)
        #expect(names.isEmpty)
    }

    @Test("The commands of a help text stay on one line, however narrow the terminal is")
    func narrow() async throws {
        for words in [["--help"], ["login", "--help"], ["config", "init", "--help"], ["serve", "--help"]] {
            var commands: [[String]] = []
            for columns in ["20", "300"] {
                let help = try await Tool.run(words, environment: ["COLUMNS": columns])
                #expect(help.status == 0)
                let lines = help.output.split(separator: "\n").map(String.init)
                let examples = lines.drop { !$0.hasPrefix("EXAMPLES") }.dropFirst().prefix { $0.hasPrefix("  ") }
                commands.append(Array(examples))
            }
            #expect(!commands[0].isEmpty && commands[0] == commands[1], "\(words)")
        }
    }

    @Test("All descriptions of a help text begin in one column")
    func indentation() async throws {
        let tool = try await DocumentedTool.load()
        for (words, _) in tool.commands where words.first != "help" {
            let help = try await Tool.run(words + ["--help"])
            let options = help.output.split(separator: "\n").drop { $0 != "OPTIONS:" }.dropFirst().prefix {
                $0.hasPrefix(" ")
            }
            let indentations = Set(options.map { $0.prefix { $0 == " " }.count })
            #expect(!options.isEmpty && indentations.isSubset(of: [2, 26]), "\(words): \(indentations)")
        }
    }

    @Test("A paragraph of a help text breaks only where the next word does not fit")
    func paragraphs() async throws {
        let tool = try await DocumentedTool.load()
        for (words, _) in tool.commands where words.first != "help" {
            let help = try await Tool.run(words + ["--help"], environment: ["COLUMNS": "90"])
            let lines = help.output.split(separator: "\n", omittingEmptySubsequences: false)
            let prose = lines.prefix {
                !$0.hasPrefix("EXAMPLES") && !$0.hasPrefix("USAGE") && !$0.hasPrefix("EXIT STATUS")
            }
            for (line, next) in zip(prose, prose.dropFirst()) where !line.isEmpty && !next.isEmpty {
                let word = next.prefix { $0 != " " }
                #expect(line.count + 1 + word.count >= 90, "\(words): \(line)")
            }
        }
    }

    #if os(Linux)
    @Test("Output that cannot be written is a failure, told in one line")
    func diskFull() async throws {
        let (result, names) = try await leftovers(#""$0" demo --json > /dev/full"#)
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("identity: The output could not be written"))
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(names.isEmpty)
    }
    #endif

    @Test("Ctrl-C during the demo cleans up")
    func interrupted() async throws {
        let script = """
            mkfifo "$TMPDIR/lines"; "$0" demo > "$TMPDIR/lines" & tool=$!
            exec 3< "$TMPDIR/lines"; read -r _ <&3; kill -INT $tool; cat <&3 > /dev/null
            wait $tool; status=$?; rm "$TMPDIR/lines"; exit $status
            """
        let (result, names) = try await leftovers(script)
        #expect(result.status == 130)
        #expect(names.isEmpty)
    }
}
