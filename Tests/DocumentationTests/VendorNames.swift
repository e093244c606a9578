import Foundation

/// The public names of a vendor's SDK, and which of them are the same here.
struct VendorNames {
    /// A line of the list.
    struct Entry {
        enum Kind: Character {
            case same = "="
            case differs = "~"
            case absent = "-"
        }

        let kind: Kind
        /// The type or the function.
        let name: String
        /// Its members; none for the name itself.
        let members: [String]
        /// How it differs, or why it is absent.
        let text: String
    }

    struct Malformed: Error {
        let line: String
    }

    let entries: [Entry]

    /// Reads a list.
    init(_ text: String) throws {
        entries = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let halves = line.split(separator: "|", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            let words = halves[0].split(whereSeparator: { $0 == " " || $0 == ":" }).map(String.init)
            guard let sign = words.first, sign.count == 1, let kind = sign.first.flatMap(Entry.Kind.init),
                words.count > 1,
                (halves.count == 1) == (kind == .same)
            else { throw Malformed(line: String(line)) }
            return Entry(
                kind: kind, name: words[1], members: Array(words.dropFirst(2)), text: halves.count > 1 ? halves[1] : "")
        }
    }

    /// The names that are the same, without those that every type has.
    var same: [String] {
        // A type may have another name, and the same members.
        let others = Set(entries.filter { $0.kind != .same && $0.members.isEmpty }.map(\.name))
        return entries.filter { $0.kind == .same }.flatMap { [$0.name] + $0.members }
            .filter { $0 != "init" && $0 != "body" && !others.contains($0) }
    }

    /// The table of the migration page: a row for each type, in the order of the list.
    var table: String {
        var names: [String] = []
        for entry in entries where !names.contains(entry.name) { names.append(entry.name) }
        let rows = names.map { name -> String in
            let own = entries.filter { $0.name == name }
            let same = own.filter { $0.kind == .same }
            let others = own.filter { $0.kind != .same }.map { entry in
                let subject = entry.members.isEmpty ? "" : Self.list(entry.members) + " "
                return subject + (entry.kind == .absent ? "absent: " : "differs: ") + entry.text
            }
            let members = Self.list(same.flatMap(\.members))
            let sameText = same.isEmpty ? "" : members.isEmpty ? "all" : members
            return "| `\(name)` | \(sameText) | \(others.joined(separator: "; ")) |"
        }
        return (["| Name | The same | What is not |", "|---|---|---|"] + rows).joined(separator: "\n")
    }

    private static func list(_ names: [String]) -> String { names.map { "`\($0)`" }.joined(separator: ", ") }
}
