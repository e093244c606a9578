import Foundation
import IdentityKit

/// Shows the remaining time until a date in one line of a terminal, and updates the line every second.
final class Countdown: Sendable {
    private let terminal: Terminal
    private let time: TimeSource
    private let ticking = Locked<Task<Void, Never>?>(nil)

    init(_ terminal: Terminal, time: TimeSource) { (self.terminal, self.time) = (terminal, time) }

    deinit { ticking.withLock { $0 }?.cancel() }

    /// Counts down to `end`; does nothing if the terminal cannot rewrite a line. A later call replaces the running countdown.
    /// - Parameter line: returns the line to show for a remaining time such as `4:59`.
    func start(until end: Date, _ line: @escaping @Sendable (String) -> String) {
        guard terminal.rewritesLines else { return }
        let task = Task { [terminal, time] in
            var width = 0
            while !Task.isCancelled {
                let left = Self.minutes(until: end, from: time.now)
                let text = line(left ?? "0:00")
                // Add spaces, which overwrite the end of the preceding text if that text was longer.
                terminal.rewrite(text + String(repeating: " ", count: max(0, width - text.count)))
                width = text.count
                guard left != nil, (try? await time.sleep(for: .seconds(1))) != nil else { break }
            }
            terminal.note("")
        }
        ticking.withLock { ticking in
            defer { ticking = task }
            return ticking
        }?.cancel()
    }

    /// Stops the countdown. Returns after the countdown has written its line end.
    func stop() async {
        let task = ticking.withLock { ticking in
            defer { ticking = nil }
            return ticking
        }
        task?.cancel()
        await task?.value
    }

    /// Returns the time until `end` in minutes and seconds such as `4:59`, rounded up to seconds and limited to 24 hours;
    /// `nil` when `end` is not after `now`.
    static func minutes(until end: Date, from now: Date) -> String? {
        let left = Int(min(86_400, max(0, end.timeIntervalSince(now))).rounded(.up))
        guard left > 0 else { return nil }
        return "\(left / 60):" + (left % 60 < 10 ? "0" : "") + "\(left % 60)"
    }
}
