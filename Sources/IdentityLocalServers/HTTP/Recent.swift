/// The last values of a kind, so that a server that runs for long does not fill the memory.
struct Recent<Value: Sendable>: Sendable {
    private let limit: Int
    private var kept: [Value]

    init(_ limit: Int, _ values: [Value] = []) { (self.limit, kept) = (limit, values) }

    var values: [Value] { Array(kept.suffix(limit)) }

    /// Half of what is kept is dropped at once, so that no call waits for all of it to be moved.
    mutating func append(_ value: Value) {
        if kept.count >= 2 * limit { kept.removeFirst(kept.count - limit) }
        kept.append(value)
    }
}
