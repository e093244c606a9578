import Foundation
import IdentityKit

/// Shows the remaining time for something in a line of a terminal.
final class Countdown: Sendable {
    private let terminal: Terminal
    private let time: TimeSource
    private let ticking = Locked<Task<Void, Never>?>(nil)

    init(_ terminal: Terminal, time: TimeSource) { (self.terminal, self.time) = (terminal, time) }

    deinit { ticking.withLock { $0 }?.cancel() }

    /// Counts down to `end`, if the terminal can rewrite a line. A second call replaces the first.
    /// - Parameter line: returns the line for a remaining time such as `4:59`.
    func start(until end: Date, _ line: @escaping @Sendable (String) -> String) {
        guard terminal.rewritesLines else { return }
        let task = Task { [terminal, time] in
            var width = 0
            while !Task.isCancelled {
                let left = Self.minutes(until: end, from: time.now)
                let text = line(left ?? "0:00")
                // Overwrite the rest of a longer line.
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

    /// Stops the countdown, and returns when its line has ended.
    func stop() async {
        let task = ticking.withLock { ticking in
            defer { ticking = nil }
            return ticking
        }
        task?.cancel()
        await task?.value
    }

    /// The time until `end` in minutes and seconds; `nil` when it is over.
    static func minutes(until end: Date, from now: Date) -> String? {
        let left = Int(min(86_400, max(0, end.timeIntervalSince(now))).rounded(.up))
        guard left > 0 else { return nil }
        return "\(left / 60):" + (left % 60 < 10 ? "0" : "") + "\(left % 60)"
    }
}
