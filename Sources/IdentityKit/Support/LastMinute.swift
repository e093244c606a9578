import Foundation

/// Counts the events of the last minute, with a counter for each second.
struct LastMinute: Sendable {
    private var counts = [Int](repeating: 0, count: 60)
    private var newest = 0

    mutating func add(at date: Date) {
        let second = move(to: date)
        counts[second] += 1
    }

    mutating func count(at date: Date) -> Int {
        _ = move(to: date)
        return counts.reduce(0, +)
    }

    /// Resets each counter whose second is at least a minute ago, or all counters if the clock was set back.
    /// - Returns: the index of the counter for the second of `date`.
    private mutating func move(to date: Date) -> Int {
        let now = Int(exactly: max(0, date.timeIntervalSince1970).rounded(.down)) ?? 0
        let isNear = (newest...newest &+ 60).contains(now)
        for second in isNear ? newest + 1..<now + 1 : 0..<60 { counts[second % 60] = 0 }
        newest = now
        return now % 60
    }
}
