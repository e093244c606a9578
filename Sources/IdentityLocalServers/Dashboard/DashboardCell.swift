import Foundation

/// Creates the HTML of cells that several tables of the dashboard share.
enum DashboardCell {
    /// How good an outcome or a state is. The page shows both a color and a sign, for readers who see only one of them.
    enum Tone: String {
        case good, warning, bad, quiet

        fileprivate var sign: String {
            switch self {
            case .good: "✓"
            case .warning: "!"
            case .bad: "✕"
            case .quiet: "→"
            }
        }
    }

    static func state(_ text: String, _ tone: Tone) -> HTML {
        "<span class=\"state \(tone.rawValue)\"><span aria-hidden=\"true\">\(tone.sign)</span> \(text)</span>"
    }

    /// An HTTP status code; 0 for a request to which the server sent no response.
    static func status(_ status: Int) -> HTML {
        switch status {
        case 0: state("no response", .bad)
        case ..<300: state("\(status)", .good)
        case ..<400: state("\(status) redirect", .quiet)
        case ..<500: state("\(status) refused", .warning)
        default: state("\(status) error", .bad)
        }
    }

    static func state(_ state: LocalServerReport.Token.State) -> HTML {
        let tone: Tone =
            switch state {
            case .good: .good
            case .spent, .expired: .warning
            case .revoked: .bad
            }
        return Self.state(state.rawValue, tone)
    }

    static func state(_ state: LocalServerReport.Flow.State) -> HTML {
        let tone: Tone =
            switch state {
            case .inProgress: .quiet
            case .completed: .good
            case .expired: .warning
            case .failed: .bad
            }
        return Self.state(state.rawValue, tone)
    }

    static func event(_ kind: LocalServerReport.TokenEvent.Kind) -> HTML {
        let tone: Tone =
            switch kind {
            case .issued, .refreshed: .good
            case .expired, .revoked: .warning
            case .refused, .replayed: .bad
            }
        return Self.state(kind.rawValue, tone)
    }

    /// The date and the time of day, to the second.
    static func date(_ date: Date) -> HTML { time(date) { $0.prefix(19) } }

    /// The time of day, to the millisecond.
    static func timeOfDay(_ date: Date) -> HTML { time(date) { $0.dropFirst(11).prefix(12) } }

    /// A time in this machine's time zone, which is also the browser's, with UTC in the tooltip.
    private static func time(_ date: Date, _ part: (String) -> Substring) -> HTML {
        let here = Date.ISO8601FormatStyle(
            dateTimeSeparator: .space, includingFractionalSeconds: true, timeZone: .current
        ).format(date)
        let text = Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date)
        let title = text.dropLast().replacingOccurrences(of: "T", with: " ")
        return "<time datetime=\"\(text)\" title=\"\(title) UTC\">\(part(here))</time>"
    }

    static func duration(_ duration: Duration) -> HTML {
        let milliseconds = Double(duration.components.seconds) * 1000 + Double(duration.components.attoseconds) / 1e15
        let text = milliseconds < 10 ? String(format: "%.1f", milliseconds) : String(Int(milliseconds.rounded()))
        return "<span class=\"number\">\(text) ms</span>"
    }

    /// The reason of a token event or of a response, in a cell with room for a sentence; empty without a reason.
    static func reason(_ text: String?) -> HTML { text.map { "<span class=\"reason\">\($0)</span>" } ?? "" }

    /// Addresses, one below the other.
    static func addresses(_ addresses: [String]) -> HTML {
        .joined(addresses.map { "<code class=\"also\">\($0)</code>" })
    }

    /// A link to `address`, which a browser opens as a page or passes to an app. An address without a scheme, or with the
    /// scheme `javascript`, `data` or `vbscript`, is shown as plain text.
    static func link(_ address: String) -> HTML {
        let scheme = URLComponents(string: address)?.scheme?.lowercased() ?? ""
        let isSafe = !scheme.isEmpty && !["javascript", "data", "vbscript"].contains(scheme)
        return isSafe ? "<a href=\"\(address)\" rel=\"noreferrer\">\(address)</a>" : "<code>\(address)</code>"
    }
}
