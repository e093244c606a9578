/// The latest values of a kind, limited so that a long-running server does not fill the memory.
struct Recent<Value: Sendable>: Sendable {
    private let limit: Int
    private var kept: [Value]

    init(_ limit: Int, _ values: [Value] = []) { (self.limit, kept) = (limit, values) }

    var values: [Value] { Array(kept.suffix(limit)) }

    /// Appends a value. Values beyond the limit are dropped once there are twice as many, so that moving the rest is rare.
    mutating func append(_ value: Value) {
        if kept.count >= 2 * limit { kept.removeFirst(kept.count - limit) }
        kept.append(value)
    }
}
