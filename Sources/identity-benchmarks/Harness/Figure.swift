/// The minimum and the median of a value that was measured in several rounds. Other load on the machine affects the
/// minimum least.
struct Statistics: Codable, Equatable {
    let minimum: Double
    let median: Double

    init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first else { return nil }
        (minimum, median) = (first, sorted[sorted.count / 2])
    }

    init(_ value: Double) {
        (minimum, median) = (value, value)
    }
}

/// A measured value in a row of the table: a cost of this package, or a value to compare this cost with.
struct Figure: Codable {
    enum Role: String, Codable {
        case ours
        /// The cost on this machine of the work that no implementation can avoid, such as starting a process.
        case limit
        /// The cost of another library or tool.
        case peer
    }

    let name: String
    let role: Role
    /// The elapsed time in seconds, or a value in the section's unit; `nil` if it was not measured.
    var wall: Statistics?
    /// The processor time in seconds; `nil` if it was not measured.
    var processor: Statistics?
    /// The number of system calls of one run; `nil` if they were not counted.
    var calls: Int?
    /// The largest value that the minimum of ``wall`` may have; `nil` without an aim.
    var aim: Double?
    var processorAim: Double?
    /// The month of an earlier measurement, such as `2026-11`; `nil` if this run measured the value.
    var source: String?

    /// Whether the minimum of each measured value meets its aim; `nil` if no measured value has an aim.
    var meetsAim: Bool? {
        let checks = [(wall, aim), (processor, processorAim)].compactMap { statistics, aim in
            aim.flatMap { aim in statistics.map { $0.minimum <= aim } }
        }
        return checks.isEmpty ? nil : checks.allSatisfy { $0 }
    }

    /// Creates a figure for another library or tool that this program does not run. `date` is the month of the
    /// measurement.
    static func peer(_ name: String, wall: Double? = nil, processor: Double? = nil, measured date: String) -> Figure {
        Figure(
            name: name, role: .peer, wall: wall.map { Statistics($0) }, processor: processor.map { Statistics($0) },
            source: date)
    }
}

/// The costs for several numbers of accounts, processes or other things. The page shows in a chart how the cost grows.
struct Curve: Codable {
    struct Point: Codable {
        let x: Double
        let y: Double
    }

    struct Line: Codable {
        let name: String
        let points: [Point]
    }

    let name: String
    let title: String
    /// The quantity along the horizontal axis, such as `accounts`.
    let horizontal: String
    let unit: Unit
    let lines: [Line]
}

struct Measurement: Codable {
    var figures: [Figure] = []
    var curves: [Curve] = []
    /// The conditions of the measurement, such as a latency.
    var remark: String?
}
