import Foundation

/// What one step of the demo did.
struct DemoStepReport: Encodable, Sendable {
    let step: Int
    let title: String
    let provider: String
    let ok: Bool
    /// What happened, a line each.
    let details: [String]
    /// Requests the client sent; those of the scripted browser are the person's.
    let requests: Int
    let milliseconds: Double
}

/// What the whole demo did.
struct DemoReport: Encodable, Sendable {
    let ok: Bool
    let steps: [DemoStepReport]

    /// The report as one JSON document.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// The closing table.
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
                // Numbers stand to the right, words to the left.
                return column >= 3 ? padding + row[column] : row[column] + padding
            }.joined(separator: "  ")
        }
    }
}

/// A step that did not do what it says.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
