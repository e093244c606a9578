import Foundation

/// Counts how often something happened in the last minute.
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

    /// Drops the seconds that are over. Starts again at zero after the clock was set back.
    private mutating func move(to date: Date) -> Int {
        let now = Int(exactly: max(0, date.timeIntervalSince1970).rounded(.down)) ?? 0
        let isNear = (newest...newest &+ 60).contains(now)
        for second in isNear ? newest + 1..<now + 1 : 0..<60 { counts[second % 60] = 0 }
        newest = now
        return now % 60
    }
}
