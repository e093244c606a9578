/// A measured number: the minimum of all rounds, which is least affected by other load, and the median.
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

/// A line below a row of the table: a measurement, or one to compare it with.
struct Figure: Codable {
    enum Role: String, Codable {
        case ours
        /// The cost on this machine of the minimum work that is needed.
        case limit
        /// A different library or tool.
        case peer
    }

    let name: String
    let role: Role
    /// The elapsed time in seconds, or a value in the row's unit.
    var wall: Statistics?
    /// The processor time in seconds.
    var processor: Statistics?
    var calls: Int?
    /// The largest allowed value of ``wall``.
    var aim: Double?
    var processorAim: Double?
    /// The time and place of a measurement that is not from this run.
    var source: String?

    /// Whether the fastest round meets the aims; `nil` without any.
    var meetsAim: Bool? {
        let checks = [(wall, aim), (processor, processorAim)].compactMap { statistics, aim in
            aim.flatMap { aim in statistics.map { $0.minimum <= aim } }
        }
        return checks.isEmpty ? nil : checks.allSatisfy { $0 }
    }

    /// A figure for another library or tool that cannot be installed here.
    static func peer(_ name: String, wall: Double? = nil, processor: Double? = nil, measured date: String) -> Figure {
        Figure(
            name: name, role: .peer, wall: wall.map { Statistics($0) }, processor: processor.map { Statistics($0) },
            source: date)
    }
}

/// The growth of a cost, drawn as a chart on the page.
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
