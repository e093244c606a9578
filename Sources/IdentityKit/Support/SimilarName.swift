extension String {
    /// The name in `names` that this text probably misspells: the nearest one. `nil` when no name is near. Case is
    /// ignored, and a name that is equal to this text does not count.
    ///
    /// The distance is the number of insertions, deletions, replacements and swaps of neighboring characters that turn
    /// this text into the name. The greatest distance of a near name depends on the length of this text: 1 for fewer than 8
    /// characters, 2 for fewer than 12, and 3 for 12 or more.
    package func similarName(in names: some Sequence<String>) -> String? {
        let own = Array(lowercased().prefix(Self.longestName))
        let limit = Swift.min(3, Swift.max(1, own.count / 4))
        return names.map { (name: $0, distance: Self.distance(own, Array($0.lowercased().prefix(Self.longestName)))) }
            .filter { $0.distance <= limit && $0.name != self }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// Number of characters that are compared; the rest of a longer name is ignored. Limits the work, which grows with the
    /// product of both lengths, because a document may contain names of any length.
    private static let longestName = 64

    /// Optimal string alignment distance of two names.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var rows = [Array(0...other.count)]
        for i in one.indices {
            var row = [i + 1]
            for j in other.indices {
                let isSame = one[i] == other[j]
                var best = Swift.min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (isSame ? 0 : 1))
                if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
                    best = Swift.min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
