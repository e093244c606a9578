import Foundation

/// A curve as an SVG, with logarithmic axes, readable on light and dark pages.
struct LineChart {
    let curve: Curve

    private static let (width, height) = (720.0, 380.0)
    private static let (left, right, top, bottom) = (80.0, 24.0, 48.0, 56.0)
    private static let colours = [("#0b6bcb", "#66b2ff"), ("#b3541e", "#ffa36b"), ("#2e7d32", "#81c784")]

    var svg: String {
        let points = curve.lines.flatMap(\.points)
        let (xs, ys) = (Axis(points.map(\.x)), Axis(points.map(\.y)))
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.number(Self.width)) \(Self.number(Self.height))" \
            role="img" font-family="system-ui, sans-serif" font-size="13">
            """,
            "<title>\(Self.escaped(curve.title))</title>", Self.style,
            Self.label(curve.title, Self.left, 24, "start", extra: " font-size=\"16\" font-weight=\"600\""),
        ]
        for x in xs.ticks {
            let place = self.x(x, xs)
            parts.append(Self.rule(place, Self.top, place, Self.height - Self.bottom))
            parts.append(Self.label(Self.count(x), place, Self.height - Self.bottom + 20, "middle"))
        }
        for y in ys.ticks {
            let place = self.y(y, ys)
            parts.append(Self.rule(Self.left, place, Self.width - Self.right, place))
            parts.append(Self.label(curve.unit.text(y), Self.left - 8, place + 4, "end"))
        }
        parts.append(
            Self.label(curve.horizontal, (Self.left + Self.width - Self.right) / 2, Self.height - 12, "middle"))
        for (index, line) in curve.lines.enumerated() {
            let style = "c\(index % Self.colours.count)"
            let path = line.points.map { "\(Self.number(x($0.x, xs))),\(Self.number(y($0.y, ys)))" }
            parts.append("<polyline class=\"line \(style)\" points=\"\(path.joined(separator: " "))\"/>")
            for point in line.points {
                let value = Self.escaped("\(line.name), \(Self.count(point.x)): \(curve.unit.text(point.y))")
                parts.append(
                    """
                    <circle class="\(style)" cx="\(Self.number(x(point.x, xs)))" cy="\(Self.number(y(point.y, ys)))" \
                    r="4"><title>\(value)</title></circle>
                    """)
            }
            let place = Self.top + 14 + 18 * Double(index)
            parts.append(
                "<circle class=\"\(style)\" cx=\"\(Self.number(Self.left + 14))\" cy=\"\(Self.number(place))\" r=\"4\"/>"
            )
            parts.append(Self.label(line.name, Self.left + 24, place + 4, "start"))
        }
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func x(_ value: Double, _ axis: Axis) -> Double {
        Self.left + axis.position(of: value) * (Self.width - Self.left - Self.right)
    }

    private func y(_ value: Double, _ axis: Axis) -> Double {
        Self.height - Self.bottom - axis.position(of: value) * (Self.height - Self.top - Self.bottom)
    }

    private static var style: String {
        func rules(_ colours: [String], ink: String, rule: String) -> String {
            "text { fill: \(ink) } .rule { stroke: \(rule) } "
                + colours.enumerated().map { ".c\($0) { stroke: \($1); fill: \($1) }" }.joined(separator: " ")
                + " .line { fill: none; stroke-width: 2 }"
        }
        return """
            <style>\(rules(colours.map(\.0), ink: "#333", rule: "#ddd")) \
            @media (prefers-color-scheme: dark) { \(rules(colours.map(\.1), ink: "#ddd", rule: "#444")) }</style>
            """
    }

    private static func rule(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        "<line class=\"rule\" x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\"/>"
    }

    private static func label(_ text: String, _ x: Double, _ y: Double, _ anchor: String, extra: String = "") -> String
    {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\"\(extra)>\(escaped(text))</text>"
    }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

    private static func count(_ value: Double) -> String {
        var digits = String(Int(value))
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = String(digits.dropLast(3))
        }
        return ([digits] + groups.map(String.init)).joined(separator: ",")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

/// A logarithmic axis over whole powers of ten.
private struct Axis {
    let low: Double
    let high: Double

    init(_ values: [Double]) {
        let positive = values.filter { $0 > 0 }
        low = (positive.min().map { log10($0) } ?? 0).rounded(.down)
        high = max(low + 1, (positive.max().map { log10($0) } ?? 1).rounded(.up))
    }

    var ticks: [Double] { stride(from: low, through: high, by: 1).map { pow(10, $0) } }

    /// The position from 0 to 1. Values that are not positive are placed at 0.
    func position(of value: Double) -> Double {
        value > 0 ? (log10(value) - low) / (high - low) : 0
    }
}
