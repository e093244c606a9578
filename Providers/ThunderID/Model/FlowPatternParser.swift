/// A part of a regular expression.
indirect enum FlowPatternNode {
    case characters(Characters)
    case start, end
    case sequence([FlowPatternNode])
    case either(FlowPatternNode, FlowPatternNode)
    case repeated(FlowPatternNode, minimum: Int, maximum: Int?)

    /// A set of characters.
    struct Characters {
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var isInverted = false

        func contain(_ scalar: Unicode.Scalar) -> Bool {
            ranges.contains { $0.contains(scalar) } != isInverted
        }

        static let digits = Characters(ranges: ["0"..."9"])
        static let word = Characters(ranges: ["0"..."9", "A"..."Z", "_"..."_", "a"..."z"])
        static let space = Characters(ranges: ["\t"..."\n", "\u{C}"..."\r", " "..." "])

        var inverted: Characters { Characters(ranges: ranges, isInverted: !isInverted) }
    }
}

/// Reads the expressions of RE2 that rules consist of: characters, classes, groups, alternatives, repetitions and the two
/// ends. What is not among them, such as flags and classes of Unicode, is left to the server.
struct FlowPatternParser {
    private struct Unknown: Error {}

    private static let maximumDepth = 32
    /// The largest repetition of RE2.
    private static let maximumCount = 1000

    private var rest: Substring.UnicodeScalarView

    static func parse(_ pattern: String) -> FlowPatternNode? {
        var parser = FlowPatternParser(rest: pattern.unicodeScalars[...])
        guard let node = try? parser.alternatives(depth: 0), parser.rest.isEmpty else { return nil }
        return node
    }

    private mutating func alternatives(depth: Int) throws(Unknown) -> FlowPatternNode {
        guard depth < Self.maximumDepth else { throw Unknown() }
        var branches = [try sequence(depth: depth)]
        while take("|") { branches.append(try sequence(depth: depth)) }
        let last = branches.removeLast()
        return branches.reversed().reduce(last) { .either($1, $0) }
    }

    private mutating func sequence(depth: Int) throws(Unknown) -> FlowPatternNode {
        var nodes: [FlowPatternNode] = []
        while let next = rest.first, next != "|", next != ")" {
            nodes.append(try repetition(of: atom(depth: depth)))
        }
        return .sequence(nodes)
    }

    private mutating func atom(depth: Int) throws(Unknown) -> FlowPatternNode {
        guard let scalar = rest.popFirst() else { throw Unknown() }
        switch scalar {
        case "(":
            if take("?"), !take(":") { throw Unknown() }
            let node = try alternatives(depth: depth + 1)
            guard take(")") else { throw Unknown() }
            return node
        case "[": return .characters(try bracketed())
        case ".": return .characters(FlowPatternNode.Characters(ranges: ["\n"..."\n"], isInverted: true))
        case "^": return .start
        case "$": return .end
        case "\\": return .characters(try escaped())
        case "*", "+", "?", "{", "}", "]": throw Unknown()
        default: return .characters(FlowPatternNode.Characters(ranges: [scalar...scalar]))
        }
    }

    private mutating func repetition(of atom: FlowPatternNode) throws(Unknown) -> FlowPatternNode {
        var node = atom
        switch rest.first {
        case "*": node = .repeated(atom, minimum: 0, maximum: nil)
        case "+": node = .repeated(atom, minimum: 1, maximum: nil)
        case "?": node = .repeated(atom, minimum: 0, maximum: 1)
        case "{":
            rest.removeFirst()
            guard let minimum = count() else { throw Unknown() }
            var maximum: Int? = minimum
            if take(",") { maximum = count() }
            guard rest.first == "}", maximum ?? minimum >= minimum else { throw Unknown() }
            node = .repeated(atom, minimum: minimum, maximum: maximum)
        default: return atom
        }
        rest.removeFirst()
        // How much is taken makes no difference to whether there is a match.
        _ = take("?")
        if let next = rest.first, "*+?{".unicodeScalars.contains(next) { throw Unknown() }
        return node
    }

    private mutating func count() -> Int? {
        let digits = rest.prefix { ("0"..."9").contains($0) }
        guard let count = Int(String(digits)), count <= Self.maximumCount else { return nil }
        rest = rest[digits.endIndex...]
        return count
    }

    /// What stands between brackets.
    private mutating func bracketed() throws(Unknown) -> FlowPatternNode.Characters {
        var set = FlowPatternNode.Characters(isInverted: take("^"))
        var isFirst = true
        while let scalar = rest.popFirst() {
            defer { isFirst = false }
            if scalar == "]", !isFirst { return set }
            if scalar == "[", rest.first == ":" { throw Unknown() }
            var ranges = [scalar...scalar]
            if scalar == "\\" {
                let escaped = try escaped()
                guard !escaped.isInverted else { throw Unknown() }
                ranges = escaped.ranges
            }
            if let low = ranges.first?.lowerBound, ranges.count == 1, ranges[0].upperBound == low, rest.first == "-",
                rest.dropFirst().first != "]"
            {
                rest.removeFirst()
                guard var high = rest.popFirst() else { throw Unknown() }
                if high == "\\" {
                    guard let end = try escaped().single else { throw Unknown() }
                    high = end
                }
                guard low <= high else { throw Unknown() }
                ranges = [low...high]
            }
            set.ranges += ranges
        }
        throw Unknown()
    }

    private mutating func escaped() throws(Unknown) -> FlowPatternNode.Characters {
        guard let scalar = rest.popFirst() else { throw Unknown() }
        switch scalar {
        case "d": return .digits
        case "D": return .digits.inverted
        case "w": return .word
        case "W": return .word.inverted
        case "s": return .space
        case "S": return .space.inverted
        case "t": return FlowPatternNode.Characters(ranges: ["\t"..."\t"])
        case "n": return FlowPatternNode.Characters(ranges: ["\n"..."\n"])
        case "r": return FlowPatternNode.Characters(ranges: ["\r"..."\r"])
        case "0"..."9", "A"..."Z", "a"..."z": throw Unknown()
        default: return FlowPatternNode.Characters(ranges: [scalar...scalar])
        }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }
}

extension FlowPatternNode.Characters {
    /// The one character it is.
    fileprivate var single: Unicode.Scalar? {
        guard !isInverted, ranges.count == 1, ranges[0].lowerBound == ranges[0].upperBound else { return nil }
        return ranges[0].lowerBound
    }
}
