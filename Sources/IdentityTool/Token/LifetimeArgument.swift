import ArgumentParser

/// A duration on the command line: a whole number with a unit, such as `10m`.
struct LifetimeArgument: ExpressibleByArgument {
    let duration: Duration

    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

    /// Reads a duration such as `90s`, `10m`, `2h` or `1d`; `nil` for any other form, and for a number that is too large.
    init?(argument: String) {
        guard let unit = argument.last.flatMap({ Self.units[$0] }), argument.dropLast().allSatisfy(\.isASCIIDigit),
            let number = Int64(argument.dropLast())
        else { return nil }
        let (seconds, overflows) = number.multipliedReportingOverflow(by: unit)
        guard !overflows else { return nil }
        duration = .seconds(seconds)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
