import Foundation

/// How long a test waits for something that may never happen.
///
/// A limit of a test's own would measure the machine: beside other load, a call that takes a millisecond can take a minute.
/// So there is one limit, which no result but that of a test that hangs depends on.
package enum Patience {
    /// Ten minutes, and on Linux in proportion longer where more programs want to run than there are processors. Evaluated
    /// once, so that all tests of a run have the same.
    package static let minutes: Int = {
        let processors = Double(ProcessInfo.processInfo.activeProcessorCount)
        return Int((10 * max(1, demand / processors)).rounded())
    }()

    package static var limit: Duration { .seconds(60 * minutes) }

    /// How many programs want to run, now or on average in the last minute: load that has just begun does not show in the
    /// average.
    private static var demand: Double {
        // Such as "0.75 0.45 0.31 3/431 2108".
        let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        let fields = text?.split(separator: " ") ?? []
        let runnable = fields.dropFirst(3).first?.split(separator: "/").first
        return [fields.first, runnable].compactMap { $0.flatMap { Double($0) } }.max() ?? 0
    }
}
