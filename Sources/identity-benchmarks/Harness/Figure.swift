/// A measured number: the smallest of its rounds, which other load has affected least, and the median.
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

/// A line below a row of the table: a measurement, or what it is compared with.
struct Figure: Codable {
    enum Role: String, Codable {
        case ours
        /// The machine's time for the least that has to be done.
        case limit
        /// A different library or tool.
        case peer
    }

    let name: String
    let role: Role
    /// Seconds, or the row's other unit.
    var wall: Statistics?
    /// Seconds of all processors.
    var processor: Statistics?
    var calls: Int?
    /// The largest allowed numbers, of the kind of ``wall`` and ``processor``.
    var aim: Double?
    var processorAim: Double?
    /// When and where it was measured, if not in this run.
    var source: String?

    /// Whether the fastest round keeps the aims; `nil` without any.
    var meetsAim: Bool? {
        let checks = [(wall, aim), (processor, processorAim)].compactMap { statistics, aim in
            aim.flatMap { aim in statistics.map { $0.minimum <= aim } }
        }
        return checks.isEmpty ? nil : checks.allSatisfy { $0 }
    }

    /// A figure of a peer that cannot be installed here.
    static func peer(_ name: String, wall: Double? = nil, processor: Double? = nil, measured date: String) -> Figure {
        Figure(
            name: name, role: .peer, wall: wall.map { Statistics($0) }, processor: processor.map { Statistics($0) },
            source: date)
    }
}

/// How a cost grows: a picture of the page.
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
    /// Conditions of the measurement, such as a latency.
    var remark: String?
}
