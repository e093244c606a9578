import ArgumentParser
import Foundation

struct TableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "table",
        abstract: "Every figure beside its aim, its peers and the limit of the machine.",
        discussion: """
            Measures in rounds, one call of each in turn, and prints the fastest and the median. Peers are measured too \
            where they are installed: oidc-agent-cli of Debian, and msal, which is fetched from PyPI. Others are \
            shown with the date of their figures.

            The commands are measured as they are installed: --tool "$(.ci/release | tail -n 1)"
            """)

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Only these sections or groups.", discussion: Section.all.map(\.name).joined(separator: ", ")))
    var section: [String] = []

    @Flag(help: "A tenth of the rounds, and small stores: to see that it runs.")
    var quick = false

    @Flag(help: "Print JSON instead of text.")
    var json = false

    @Option(help: "The installed identity.")
    var tool: String?

    @Option(help: "The output of .ci/footprint.")
    var footprint: String?

    @Option(help: "The folder for the pictures, beside the page.")
    var pictures: String?

    @Option(help: "The page to write.")
    var page: String?

    func validate() throws {
        for name in section where !Section.all.contains(where: { $0.name == name || $0.group == name }) {
            throw ValidationError("There is no section \(name).")
        }
    }

    func run() async throws {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let bench = Bench(isQuick: quick, tool: tool, footprint: footprint, scratch: scratch)
        let chosen = Section.all.filter { candidate in
            section.isEmpty || section.contains(candidate.name) || section.contains(candidate.group)
        }
        var report = Report(machine: Machine(), date: Date(), isQuick: quick, rows: [])
        for (index, section) in chosen.enumerated() {
            report.rows.append(await row(of: section, bench, title: "[\(index + 1)/\(chosen.count)] \(section.title)"))
        }
        if let pictures { try write(report.pictures, in: pictures) }
        if let page {
            let folder = URL(fileURLWithPath: page).deletingLastPathComponent().path
            let names = pictures.map { Page.path(of: $0, from: folder) }
            try Data(Page(report: report, pictures: names).text.utf8).write(to: URL(fileURLWithPath: page))
        }
        print(json ? try report.json : report.text)
    }

    /// Measures a section. If that fails, its row has the error instead of figures, and the other sections are still
    /// measured.
    private func row(of section: Section, _ bench: Bench, title: String) async -> Report.Row {
        progress("\(title) …")
        let start = ContinuousClock.now
        var row = Report.Row(section)
        do {
            row.measurement = try await section.measure(bench)
        } catch {
            row.failure = "\(error)"
            progress("  \(error)")
        }
        progress("  \(Unit.seconds.text((ContinuousClock.now - start) / .seconds(1)))")
        return row
    }

    private func write(_ pictures: [(name: String, svg: String)], in folder: String) throws {
        let folder = URL(fileURLWithPath: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, svg) in pictures {
            try Data(svg.utf8).write(to: folder.appendingPathComponent(name + ".svg"))
        }
    }

    private func progress(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
