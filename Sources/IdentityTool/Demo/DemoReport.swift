import Foundation

struct DemoStepReport: Codable, Sendable {
    let step: Int
    let title: String
    let provider: String
    let ok: Bool
    let details: [String]
    /// The number of the client's requests, without those of the scripted browser.
    let requests: Int
    let milliseconds: Double
}

struct DemoReport: Codable, Sendable {
    let ok: Bool
    let steps: [DemoStepReport]

    func table() -> [String] {
        let header = ["", "step", "provider", "requests", "ms"]
        let rows = steps.map { step in
            [
                step.ok ? "✔" : "✘", step.title, step.provider, "\(step.requests)",
                String(format: "%.1f", step.milliseconds),
            ]
        }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        return ([header] + rows).map { row in
            row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                // Numbers are right-aligned.
                return column >= 3 ? padding + row[column] : row[column] + padding
            }.joined(separator: "  ")
        }
    }
}

struct DemoError: Error, CustomStringConvertible {
    let description: String
}
