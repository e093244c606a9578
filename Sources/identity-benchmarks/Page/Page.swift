import Foundation

/// The page `Documentation/Performance.md`, generated from the report of a run.
struct Page {
    let report: Report
    /// The path of the charts' folder relative to the page; `nil` to leave out the charts.
    let pictures: String?

    var text: String {
        var lines = [
            "# Performance", "",
            """
            `identity-benchmarks` wrote this page on \(report.day): \(report.machine.description). Every figure of this \
            package was measured in that run, in rounds in which each candidate had one turn after the other. The \
            first time of each pair is that of the fastest round, which other load of the machine has affected least; the second one is \
            the median. *Limit* is what the machine itself needs for the least that has to be done. Peers without a \
            date were measured in the same run.
            """, "",
            "| work | aim | measured | limit | peers | |", "|---|---|---|---|---|---|",
        ]
        lines += report.rows.map(tableRow) + [""]
        lines += missed + curves + details + instructions
        return lines.joined(separator: "\n") + "\n"
    }

    private func tableRow(_ row: Report.Row) -> String {
        func figures(_ role: Figure.Role) -> String {
            let chosen = row.measurement.figures.filter { $0.role == role }
            return chosen.map { figure in
                let values = row.cells(of: figure)[1...3].filter { !$0.isEmpty }.joined(separator: ", ")
                let date = figure.source.map { " (\($0))" } ?? ""
                return "\(figure.name): \(values)\(date)"
            }.joined(separator: "<br>")
        }
        let ours = row.failure == nil ? figures(.ours) : "not measured"
        let cells = [row.title, row.aim, ours, figures(.limit), figures(.peer), row.verdict ?? ""]
        return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }

    /// The Markdown lines for the rows that miss their aim, each with the reason; empty if no row misses it.
    private var missed: [String] {
        let rows = report.rows.filter { $0.meetsAim == false }
        guard !rows.isEmpty else { return [] }
        return ["## What misses its aim", ""]
            + rows.flatMap { ["**\($0.title)** (\($0.aim)). \($0.reason ?? "The reason is not known yet.")", ""] }
    }

    private var curves: [String] {
        guard let pictures else { return [] }
        let all = report.rows.flatMap(\.measurement.curves)
        guard !all.isEmpty else { return [] }
        return ["## How cost grows", ""] + all.flatMap { ["![\($0.title)](\(pictures)/\($0.name).svg)", ""] }
    }

    private var details: [String] {
        let remarks = report.rows.compactMap { row in
            [row.failure.map { "not measured: \($0)" }, row.measurement.remark].compactMap { $0 }.first
                .map { "- **\(row.title)**: \($0.replacing("\n", with: " "))" }
        }
        return remarks.isEmpty ? [] : ["## Conditions", ""] + remarks + [""]
    }

    private var instructions: [String] {
        [
            "## Measuring it again", "", "```bash", "installed=$(.ci/release | tail -n 1)",
            ".ci/footprint >footprint.json",
            "swift build -c release --product identity-benchmarks",
            ".build/release/identity-benchmarks table --tool \"$installed\" --footprint footprint.json \\",
            "    --page Documentation/Performance.md --pictures Documentation/performance", "```", "",
            "What does not depend on the machine's load is counted in `.ci/counts`, which fails when a number grows.",
        ]
    }

    /// Returns the path of `target` relative to `folder`, with `..` for each step up.
    static func path(of target: String, from folder: String) -> String {
        let target = URL(fileURLWithPath: target).standardizedFileURL.pathComponents
        let folder = URL(fileURLWithPath: folder).standardizedFileURL.pathComponents
        let shared = zip(target, folder).prefix { $0 == $1 }.count
        return ([String](repeating: "..", count: folder.count - shared) + target.dropFirst(shared))
            .joined(separator: "/")
    }
}
