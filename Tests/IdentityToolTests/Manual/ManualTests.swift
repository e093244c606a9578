import Foundation
import IdentityKit
import Testing

/// The manual page and the completion scripts: made of the commands, and fit for the programs that read them.
@Suite struct ManualTests {
    @Test("The manual page has every command and every option")
    func complete() async throws {
        let page = try await Tool.run("manual").output.replacing(#"\-"#, with: "-")
        let tool = try await DocumentedTool.load()
        #expect(tool.commands.count >= 18)
        for (words, options) in tool.commands where words.first != "help" {
            #expect(page.contains("\n.SS identity \(words.joined(separator: " "))\n"))
            for option in options { #expect(page.contains(option), "\(words) \(option)") }
        }
        for section in [
            "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES",
            "SEE ALSO",
        ] {
            #expect(page.contains("\n.SH \(section)\n"))
        }
    }

    @Test("The exit statuses are there with their meaning")
    func statuses() async throws {
        let page = try await Tool.run("manual").output
        #expect(page.contains(".B 3\nNo account is signed in, or the session has ended: sign in.\n"))
        #expect(page.contains(".B 141\n"))
    }

    @Test("No line of text is taken for a request, and no example loses its hyphens")
    func roff() async throws {
        let page = try await Tool.run("manual").output
        let requests: Set = [
            ".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".I", ".BR", ".nf", ".fi", ".RS", ".RE",
        ]
        for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains(String(line.split(separator: " ")[0])), "\(line)")
        }
        #expect(page.contains(#"identity token \-\-format header"#))
    }

    @Test("A formatter has nothing to complain about", .enabled(if: Program.exists("mandoc")))
    func formatted() async throws {
        let result = try await ToolProcess.shell("\"$0\" manual | mandoc -T lint -W warning")
        // The tool has no date: it is built from whatever version is checked out.
        let complaints = result.output.split(separator: "\n").filter { !$0.contains("missing date") }
        #expect(complaints.isEmpty && result.errors.isEmpty)
    }

    @Test(
        "Every shell understands its completion script",
        arguments: ["bash", "zsh", "fish"].filter { Program.exists($0) })
    func completion(shell: String) async throws {
        let result = try await ToolProcess.shell(
            "file=$(mktemp); \"$0\" completion \(shell) > \"$file\" && \(shell) -n \"$file\"; status=$?; "
                + "rm -f \"$file\"; exit $status")
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    }

    @Test("Bash completes a command", .enabled(if: Program.exists("bash")))
    func completes() async throws {
        let result = try await ToolProcess.shell(
            """
            source <("$0" completion bash)
            COMP_WORDS=(identity who) COMP_CWORD=1 COMP_LINE="identity who" COMP_POINT=12
            "$(complete -p identity | sed 's/.*-F \\([^ ]*\\).*/\\1/')" identity who identity
            echo "${COMPREPLY[@]}"
            """)
        #expect(result.output.contains("whoami"), "\(result.errors)")
    }
}

/// What is installed on this machine.
enum Program {
    /// Whether `PATH` leads to a program of this name.
    static func exists(_ name: String) -> Bool {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }
}
