import Foundation

extension Duration {
    /// The duration in seconds, as Foundation's dates count.
    package var timeInterval: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }

    /// Seconds with at most three decimals, such as `2 s` or `0.25 s`, from zero to a century.
    package var formattedSeconds: String {
        let (seconds, attoseconds) = asPause.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        let fraction = String(String(milliseconds % 1000 + 1000).dropFirst())
        let decimals = String(fraction.reversed().drop { $0 == "0" }.reversed())
        return "\(milliseconds / 1000)\(decimals.isEmpty ? "" : "." + decimals) s"
    }

    /// Seconds rounded up, such as `2 s`, from zero to a century: messages have no fractions.
    package var inWholeSeconds: String {
        let (seconds, attoseconds) = asPause.components
        return "\(seconds + (attoseconds > 0 ? 1 : 0)) s"
    }
}
