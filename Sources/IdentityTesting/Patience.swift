import Foundation

/// The time that a test waits for something that may never happen.
///
/// A shorter limit would make tests fail on a busy machine, where a call of a millisecond can take a minute. Therefore,
/// all tests share one limit, which only a hanging test reaches.
package enum Patience {
    /// The limit in minutes: ten, and proportionally more on Linux when more programs want to run than there are processors.
    /// Evaluated once, so that all tests of a run use the same limit.
    package static let minutes: Int = {
        let processors = Double(ProcessInfo.processInfo.activeProcessorCount)
        return Int((10 * max(1, demand / processors)).rounded())
    }()

    package static var limit: Duration { .seconds(60 * minutes) }

    /// Number of programs that want to run, now or on average in the last minute. The larger number is used, because the
    /// average is slow to show new load. Zero on systems without `/proc/loadavg`.
    private static var demand: Double {
        // The format is "0.75 0.45 0.31 3/431 2108".
        let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        let fields = text?.split(separator: " ") ?? []
        let runnable = fields.dropFirst(3).first?.split(separator: "/").first
        return [fields.first, runnable].compactMap { $0.flatMap { Double($0) } }.max() ?? 0
    }
}
