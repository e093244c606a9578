/// The lines of a source that are not left out for an absent trait of the package.
struct BuiltLines: Sequence, IteratorProtocol {
    private var lines: ArraySlice<Substring>
    /// For each `#if` around the current line whether it is met; `nil` for conditions that are not about a trait.
    private var conditions: [Bool?] = []

    init(of source: String) {
        lines = source.split(separator: "\n")[...]
    }

    mutating func next() -> Substring? {
        while let line = lines.popFirst() {
            let directive = line.drop { $0 == " " }
            if directive.hasPrefix("#if ") {
                conditions.append(Self.isMet(directive.dropFirst("#if ".count)))
            } else if directive.hasPrefix("#else"), let condition = conditions.popLast() {
                conditions.append(condition.map { !$0 })
            } else if directive.hasPrefix("#endif") {
                _ = conditions.popLast()
            } else if !conditions.contains(false) {
                return line
            }
        }
        return nil
    }

    private static func isMet(_ condition: Substring) -> Bool? {
        traits[condition] ?? (condition.first == "!" ? traits[condition.dropFirst()].map { !$0 } : nil)
    }

    private static let traits: [Substring: Bool] = {
        var traits: [Substring: Bool] = ["PostgreSQL": false, "Observability": false]
        #if PostgreSQL
        traits["PostgreSQL"] = true
        #endif
        #if Observability
        traits["Observability"] = true
        #endif
        return traits
    }()
}
