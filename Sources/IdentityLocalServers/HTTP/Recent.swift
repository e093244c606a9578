/// Keeps the latest values up to a limit, so that a long-running server does not fill the memory.
struct Recent<Value: Sendable>: Sendable {
    private let limit: Int
    private var kept: [Value]

    init(_ limit: Int, _ values: [Value] = []) { (self.limit, kept) = (limit, values) }

    var values: [Value] { Array(kept.suffix(limit)) }

    /// Appends a value. The oldest values are removed only when there are twice as many as the limit, so that the remaining
    /// ones are rarely moved.
    mutating func append(_ value: Value) {
        if kept.count >= 2 * limit { kept.removeFirst(kept.count - limit) }
        kept.append(value)
    }
}
