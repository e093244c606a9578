import Foundation
import IdentityKit

/// Counts the time down in which something must happen, in one line of a terminal.
final class Countdown: Sendable {
    private let terminal: Terminal
    private let time: TimeSource
    private let ticking = Locked<Task<Void, Never>?>(nil)

    init(_ terminal: Terminal, time: TimeSource) { (self.terminal, self.time) = (terminal, time) }

    deinit { ticking.withLock { $0 }?.cancel() }

    /// Counts down to `end`, where the terminal can write a line again. A second start replaces the first.
    /// - Parameter line: the line for the time that is left, such as `4:59`.
    func start(until end: Date, _ line: @escaping @Sendable (String) -> String) {
        guard terminal.rewritesLines else { return }
        let task = Task { [terminal, time] in
            var width = 0
            while !Task.isCancelled {
                let left = Self.minutes(until: end, from: time.now)
                let text = line(left ?? "0:00")
                // Writes over what a longer line has left behind.
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

    /// Stops, and returns when the line has ended.
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
