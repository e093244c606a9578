import Foundation

enum Unit: String, Codable {
    case seconds, bytes, fraction

    /// Returns the value with its unit, such as `12.3 µs`, `1.70 KB` or `0.20 %`.
    func text(_ value: Double) -> String {
        switch self {
        case .seconds: Self.scaled(value * 1e9, ["ns", "µs", "ms", "s"], step: 1000)
        case .bytes: Self.scaled(value, ["B", "KB", "MB", "GB"], step: 1000)
        case .fraction: Self.digits(value * 100) + " %"
        }
    }

    private static func scaled(_ value: Double, _ names: [String], step: Double) -> String {
        var (value, index) = (value, 0)
        while abs(value) >= step, index + 1 < names.count { (value, index) = (value / step, index + 1) }
        return "\(digits(value)) \(names[index])"
    }

    private static func digits(_ value: Double) -> String {
        switch abs(value) {
        case 99.95...: String(format: "%.0f", value)
        case 9.995...: String(format: "%.1f", value)
        case 0: "0"
        default: String(format: "%.2f", value)
        }
    }
}
