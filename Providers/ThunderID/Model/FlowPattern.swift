/// A regular expression of a field's rule, matched without backtracking.
///
/// The server's expressions are those of RE2 (contract 1.3). Foundation's and Swift's matching takes exponential time
/// for some of them. This one follows all states at once (Thompson's construction), in time proportional to the lengths
/// of the text and the expression.
struct FlowPattern {
    /// The largest expression, in parts; what is repeated counts as often as it is.
    private static let maximumSize = 2000
    /// The longest text that is looked at. What is longer is left to the server.
    private static let maximumLength = 4000

    private let program: [Step]

    /// - Returns: `nil` for what is no expression, or one that this reader leaves to the server.
    init?(_ pattern: String) {
        guard pattern.utf8.count <= Self.maximumSize, let node = FlowPatternParser.parse(pattern) else { return nil }
        var writer = Writer()
        guard writer.add(node) else { return nil }
        program = writer.program + [.match]
    }

    private enum Step {
        case take(FlowPatternNode.Characters)
        case either(Int, Int)
        case start, end
        case match
    }

    /// Writes the steps of an expression down.
    private struct Writer {
        var program: [Step] = []
        /// What is repeated is written each time, also when it is nothing.
        private var remaining = FlowPattern.maximumSize

        /// Adds the steps for `node`.
        /// - Returns: `false` when there are too many.
        mutating func add(_ node: FlowPatternNode) -> Bool {
            remaining -= 1
            guard remaining > 0 else { return false }
            switch node {
            case .characters(let characters): program.append(.take(characters))
            case .start: program.append(.start)
            case .end: program.append(.end)
            case .sequence(let nodes):
                for node in nodes { guard add(node) else { return false } }
            case .either(let first, let second):
                let fork = reserve()
                guard add(first) else { return false }
                let leap = reserve()
                program[fork] = .either(fork + 1, program.count)
                guard add(second) else { return false }
                program[leap] = .either(program.count, program.count)
            case .repeated(let node, let minimum, let maximum):
                for _ in 0..<minimum { guard add(node) else { return false } }
                return maximum.map { addOptional(node, upTo: $0 - minimum) } ?? addLoop(node)
            }
            return true
        }

        private mutating func addLoop(_ node: FlowPatternNode) -> Bool {
            let fork = reserve()
            guard add(node) else { return false }
            program.append(.either(fork, fork))
            program[fork] = .either(fork + 1, program.count)
            return true
        }

        private mutating func addOptional(_ node: FlowPatternNode, upTo count: Int) -> Bool {
            var forks: [Int] = []
            for _ in 0..<max(0, count) {
                forks.append(reserve())
                guard add(node) else { return false }
            }
            for fork in forks { program[fork] = .either(fork + 1, program.count) }
            return true
        }

        /// Leaves room for a step that is not known yet.
        private mutating func reserve() -> Int {
            program.append(.match)
            return program.count - 1
        }
    }

    /// Whether some part of `text` is what the expression describes; `nil` for a text that is too long to tell.
    func occurs(in text: String) -> Bool? {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count <= Self.maximumLength else { return nil }
        var (active, marks) = ([Int](), [Int](repeating: -1, count: program.count))
        for position in 0...scalars.count {
            // A match may begin at every place.
            if follow(from: 0, at: position, scalars.count, &active, &marks) { return true }
            guard position < scalars.count else { break }
            let before = active
            active = []
            for step in before {
                guard case .take(let characters) = program[step], characters.contain(scalars[position]) else {
                    continue
                }
                if follow(from: step + 1, at: position + 1, scalars.count, &active, &marks) { return true }
            }
        }
        return false
    }

    /// Adds every step that can be reached without another character, each once for a place.
    /// - Returns: whether the end of the expression is among them.
    private func follow(
        from step: Int, at position: Int, _ end: Int, _ active: inout [Int], _ marks: inout [Int]
    ) -> Bool {
        var pending = [step]
        while let step = pending.popLast() {
            guard marks[step] != position else { continue }
            marks[step] = position
            switch program[step] {
            case .match: return true
            case .take: active.append(step)
            case .either(let first, let second): pending += [second, first]
            case .start: if position == 0 { pending.append(step + 1) }
            case .end: if position == end { pending.append(step + 1) }
            }
        }
        return false
    }
}
