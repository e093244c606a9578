/// A piece of work whose cost is compared with that of others.
struct Contender {
    let name: String
    let role: Figure.Role
    /// The number of calls in one turn of ``body``, by which its cost is divided.
    var calls = 1
    /// Whether the work runs in child processes, whose processor time counts.
    var startsPrograms = false
    var aim: Double?
    var processorAim: Double?
    let body: () async throws -> Void
}

/// Compares the costs of contenders. Every round measures each of them once, so that other load affects all alike.
struct Stopwatch {
    let rounds: Int

    func compare(_ contenders: [Contender]) async throws -> [Figure] {
        var costs = [[Cost]](repeating: [], count: contenders.count)
        for contender in contenders { try await contender.body() }
        for _ in 0..<rounds {
            for (index, contender) in contenders.enumerated() {
                let cost = try await Cost.measure(ofPrograms: contender.startsPrograms, contender.body)
                costs[index].append(cost / Double(contender.calls))
            }
        }
        return zip(contenders, costs).map { contender, costs in
            Figure(
                name: contender.name, role: contender.role, wall: Statistics(costs.map(\.wall)),
                processor: Statistics(costs.map(\.processor)), aim: contender.aim, processorAim: contender.processorAim)
        }
    }
}
