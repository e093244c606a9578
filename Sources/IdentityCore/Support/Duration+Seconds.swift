import Foundation

extension Duration {
    /// The duration as a number of seconds, for calculations with Foundation's dates.
    package var timeInterval: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }

    /// The duration in seconds with at most three decimals, such as `2 s` or `0.25 s`, limited to the range from zero
    /// to a century. More decimals are cut off.
    package var formattedSeconds: String {
        let (seconds, attoseconds) = asPause.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        let fraction = String(String(milliseconds % 1000 + 1000).dropFirst())
        let decimals = String(fraction.reversed().drop { $0 == "0" }.reversed())
        return "\(milliseconds / 1000)\(decimals.isEmpty ? "" : "." + decimals) s"
    }

    /// The duration in seconds, rounded up for use in a message, such as `2 s`, and limited to the range from zero to a
    /// century.
    package var inWholeSeconds: String {
        let (seconds, attoseconds) = asPause.components
        return "\(seconds + (attoseconds > 0 ? 1 : 0)) s"
    }
}
