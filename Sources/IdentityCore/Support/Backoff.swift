/// The pauses between attempts at something that another task or process holds: growing, randomized so that many waiters
/// do not return together, and finite.
package struct Backoff: Sendable {
    private var remaining: Duration
    private var step: Duration
    private let longest: Duration

    package init(deadline: Duration, first: Duration = .milliseconds(1), longest: Duration = .milliseconds(50)) {
        remaining = deadline
        step = first
        self.longest = longest
    }

    /// The next pause; `nil` once the pauses add up to the deadline.
    package mutating func next() -> Duration? {
        guard remaining > .zero else { return nil }
        let pause = min(step * Double.random(in: 0.5...1), remaining)
        remaining -= pause
        step = min(step * 2, longest)
        return pause
    }
}
