/// Compares the time of calls. Every round measures each of them once, so that other load of the machine affects all alike.
struct Stopwatch {
    /// The number of rounds.
    var rounds = 40
    /// The number of calls in one measurement.
    var calls = 250

    /// The time of each body: the average per call of the fastest round, which other load has affected least.
    func best(_ bodies: [() throws -> Void]) throws -> [Duration] {
        var best = [Duration](repeating: .seconds(3600), count: bodies.count)
        let clock = ContinuousClock()
        for _ in 0..<rounds {
            for (index, body) in bodies.enumerated() {
                let turn = try clock.measure {
                    for _ in 0..<calls { try body() }
                }
                best[index] = min(best[index], turn / calls)
            }
        }
        return best
    }

    /// The median time of each body, for calls that depend on the whole machine.
    func median(_ bodies: [() throws -> Void]) throws -> [Duration] {
        var turns = [[Duration]](repeating: [], count: bodies.count)
        let clock = ContinuousClock()
        for _ in 0..<rounds {
            for (index, body) in bodies.enumerated() {
                let turn = try clock.measure {
                    for _ in 0..<calls { try body() }
                }
                turns[index].append(turn / calls)
            }
        }
        return turns.map { $0.sorted()[$0.count / 2] }
    }
}

extension Duration {
    /// Such as `12.3 µs`.
    var microseconds: String {
        let tenths = (self / .microseconds(1) * 10).rounded() / 10
        return "\(tenths) µs"
    }
}
