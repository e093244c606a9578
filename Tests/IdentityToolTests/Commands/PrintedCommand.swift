import Foundation

/// A command line as somebody reads it, and where.
struct PrintedCommand: Sendable {
    /// The line, with its continuation lines. In a message of the tool, what differs from case to case is `\(…)`.
    let line: String
    /// Such as `identity token --help` or `README.md`.
    let place: String

    /// Every command line that is printed anywhere.
    static func all() async throws -> [PrintedCommand] {
        let tool = try await DocumentedTool.load()
        return try await help(of: tool) + manual() + pages() + sources(tool)
    }

    // MARK: The tool's own text

    /// The examples of every command's help.
    private static func help(of tool: DocumentedTool) async throws -> [PrintedCommand] {
        var paths: Set<[String]> = [[]]
        for (words, _) in tool.commands where words.first != "help" {
            for count in 1...words.count { paths.insert(Array(words.prefix(count))) }
        }
        var all: [PrintedCommand] = []
        for words in paths.sorted(by: { $0.joined(separator: " ") < $1.joined(separator: " ") }) {
            let text = try await Tool.run(words + ["--help"]).output
            let place = (["identity"] + words + ["--help"]).joined(separator: " ")
            all += lines(under: "EXAMPLES", in: text).map { PrintedCommand(line: $0, place: place) }
        }
        return all
    }

    /// The indented lines under a heading, up to the first one that is not indented.
    private static func lines(under heading: String, in text: String) -> [String] {
        let lines = text.components(separatedBy: "\n")
        guard let start = lines.firstIndex(of: heading) else { return [] }
        let block = lines[(start + 1)...].prefix { $0.hasPrefix("  ") }
        // A remark stands in a column of its own.
        return joined(Array(block)).map { $0.replacing(/\s{2,}[A-Z][^'"]*\.$/, with: "") }
    }

    /// The examples of the manual page, which stand between `.nf` and `.fi`.
    private static func manual() async throws -> [PrintedCommand] {
        let page = try await Tool.run("manual").output
            .replacing(#"\-"#, with: "-").replacing(#"\e"#, with: #"\"#).replacing(#"\&"#, with: "")
        let blocks = page.components(separatedBy: "\n.nf\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n.fi").first }
        return blocks.flatMap { joined($0.components(separatedBy: "\n")) }.filter { $0.contains("identity") }
            .map { PrintedCommand(line: $0.replacing(/\s{2,}[A-Z][^'"]*\.$/, with: ""), place: "identity manual") }
    }

    // MARK: Pages

    /// The lines of every block for a shell, and the commands in sentences.
    private static func pages() throws -> [PrintedCommand] {
        try DocumentedTool.allPages.flatMap { page in
            let text = try String(contentsOf: page, encoding: .utf8)
            let place = DocumentedTool.path(of: page)
            let blocks = text.matches(of: /(?:^|\n)(?<indent> *)```(?:sh|bash)\n(?<code>[\s\S]*?)\n *```/)
            let lines = blocks.flatMap { joined(String($0.code).components(separatedBy: "\n")) }
            return (lines.map(withoutRemark) + sentences(in: text)).map { PrintedCommand(line: $0, place: place) }
        }
    }

    /// Commands as code in a sentence, which may be broken anywhere.
    private static func sentences(in text: String) -> [String] {
        text.replacing(/```[\s\S]*?```/, with: "").matches(of: /`((?:identity|swift|bash|\.ci\/[a-z-]+) [^`]+)`/)
            .map { $0.1.split(whereSeparator: \.isWhitespace).filter { $0 != "///" }.joined(separator: " ") }
    }

    /// A line of a block without what is said about it.
    private static func withoutRemark(_ line: String) -> String { line.replacing(/\s+# .*$/, with: "") }

    /// Lines with those that a backslash continues, without indentation and empty ones.
    private static func joined(_ lines: [String]) -> [String] {
        var all: [String] = []
        var continues = false
        for line in lines {
            let text = line.trimmingCharacters(in: .whitespaces)
            if continues, let last = all.popLast() {
                all.append(last + "\n  " + text)
            } else {
                all.append(text)
            }
            continues = text.hasSuffix("\\")
        }
        return all.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    // MARK: Messages and comments

    /// The commands in messages and in the comments that become documentation.
    private static func sources(_ tool: DocumentedTool) throws -> [PrintedCommand] {
        let names = Set(tool.commands.compactMap(\.words.first)).sorted().joined(separator: "|")
        let command = "identity (?:\(names))(?![a-z/:-])"
        let said = try Regex<(Substring, Substring)>("(?:: |\\\\\")(\(command)[^\"\\n]*?)\\.?(?=\\\\?\"|\\n|\\. )")
        return try DocumentedTool.sources.flatMap { file in
            let text = try String(contentsOf: file, encoding: .utf8)
            let place = DocumentedTool.path(of: file)
            let code = text.replacing(/(?:^|\n)\s*\/\/[^\n]*/, with: "\n")
            // Comments of the tool itself are read by nobody but those who change it.
            let comments = text.components(separatedBy: "\n").filter {
                $0.trimmingCharacters(in: .whitespaces).hasPrefix("///") && !place.hasPrefix("Sources/identity")
                    && !place.hasPrefix("Sources/IdentityTool/")
            }.joined(separator: "\n")
            // A remedy that is no sentence is a command.
            let remedies = code.matches(of: /fix: "([a-z]+ [^",]+)/).map { String($0.1) }
            return (code.matches(of: said).map { String($0.1) } + remedies + sentences(in: comments))
                .map { PrintedCommand(line: $0, place: place) }
        }
    }
}
