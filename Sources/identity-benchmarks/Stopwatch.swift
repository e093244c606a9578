/// Measures what calls cost, side by side: in every round each of them takes its turn, so that whatever else the machine
/// does meets all alike.
struct Stopwatch {
    /// How often all take their turn.
    var rounds = 40
    /// How many calls make one turn.
    var calls = 250

    /// What each body costs, as the best turn's average per call: everything slower was slowed down from outside.
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

    /// What each body costs as a rule: the middle of all its turns. For what depends on the whole machine, where the best
    /// turn is luck.
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
