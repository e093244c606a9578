/// A piece of work whose cost is compared with the costs of other contenders.
struct Contender {
    let name: String
    let role: Figure.Role
    /// The number of calls that ``body`` makes. The measured cost is divided by this number.
    var calls = 1
    /// Whether ``body`` runs child processes. If so, their processor time is measured instead of this process's.
    var startsPrograms = false
    var aim: Double?
    var processorAim: Double?
    let body: () async throws -> Void
}

/// Compares the costs of contenders. Every round runs each contender once, so that other load on the machine affects
/// all of them alike. A run before the first round is not measured.
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
