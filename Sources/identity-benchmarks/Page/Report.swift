import Foundation

struct Report: Encodable {
    struct Row: Encodable {
        let name: String
        let title: String
        let aim: String
        let unit: Unit
        let reason: String?
        var measurement = Measurement()
        var failure: String?

        init(_ section: Section) {
            (name, title, aim) = (section.name, section.title, section.aim)
            (unit, reason) = (section.unit, section.reason)
        }

        /// Whether every measured figure with an aim meets this aim; `nil` if there is no such figure.
        var meetsAim: Bool? {
            let verdicts = measurement.figures.compactMap(\.meetsAim)
            return verdicts.isEmpty ? nil : !verdicts.contains(false)
        }
    }

    let machine: Machine
    let date: Date
    let isQuick: Bool
    var rows: [Row]

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    var text: String {
        var lines = ["\(machine.description), \(day)", ""]
        for row in rows {
            lines.append("\(row.title): \(row.aim)\(row.verdict.map { "  [\($0)]" } ?? "")")
            let cells = row.measurement.figures.map(row.cells)
            let widths = (0..<5).map { column in cells.map { $0[column].count }.max() ?? 0 }
            for cells in cells {
                let padded = zip(cells, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
                lines.append(("  " + padded.joined(separator: "  ")).trimmingEnd)
            }
            if let remark = row.measurement.remark { lines.append("  \(remark)") }
            if let failure = row.failure { lines.append("  not measured: \(failure)") }
            lines.append("")
        }
        return lines.joined(separator: "\n")
    }

    var day: String {
        let style = Date.ISO8601FormatStyle(timeZone: TimeZone(secondsFromGMT: 0) ?? .current)
        return date.formatted(style.year().month().day()) + (isQuick ? " (a quick run, which proves nothing)" : "")
    }

    var pictures: [(name: String, svg: String)] {
        rows.flatMap(\.measurement.curves).map { ($0.name, LineChart(curve: $0).svg) }
    }
}

extension Report.Row {
    var verdict: String? { meetsAim.map { $0 ? "met" : "missed" } }

    /// Returns the five cells of a figure: name, elapsed time, processor time, system calls, and remarks such as the
    /// aim.
    func cells(of figure: Figure) -> [String] {
        func text(_ statistics: Statistics?, _ name: String) -> String {
            guard let statistics else { return "" }
            let (minimum, median) = (unit.text(statistics.minimum), unit.text(statistics.median))
            return (minimum == median ? median : "\(minimum) … \(median)") + name
        }
        let role = figure.role == .ours ? "" : "\(figure.role.rawValue): "
        var remarks = figure.source.map { ["measured \($0)"] } ?? []
        if let aim = figure.aim { remarks.append("aim \(unit.text(aim))") }
        if let aim = figure.processorAim { remarks.append("aim \(unit.text(aim)) CPU") }
        if figure.meetsAim == false { remarks.append("missed") }
        return [
            role + figure.name, text(figure.wall, ""), text(figure.processor, " CPU"),
            figure.calls.map { "\($0) calls" } ?? "", remarks.joined(separator: ", "),
        ]
    }
}

extension String {
    /// The text without trailing spaces.
    fileprivate var trimmingEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
