/// The public declarations of a source file, by name, as its indentation shows their types.
struct PublicNames {
    private(set) var names: [String] = []

    init(in text: String) {
        let declaration =
            /(?<words>(?:[\w()@]+ )*?)(?:struct|class|enum|protocol|actor|extension|typealias|func|var|let|init|subscript)\b[ ?!]*(?<name>\w[\w.]*)?/
        var types: [(indentation: Int, name: String)] = []
        for line in text.split(separator: "\n") {
            let code = line.drop { $0 == " " }
            guard !code.hasPrefix("//"), let found = code.prefixMatch(of: declaration) else { continue }
            let indentation = line.count - code.count
            types.removeAll { $0.indentation >= indentation }
            let words = found.words.split(separator: " ")
            let kind = code.dropFirst(found.words.count).prefix { $0.isLetter }
            let name = ["init", "subscript"].contains(kind) ? String(kind) : String(found.name ?? "")
            let path = (types.map(\.name) + [name]).joined(separator: ".")
            if words.contains("public"), kind != "extension" { names.append(path) }
            if ["struct", "class", "enum", "protocol", "actor", "extension"].contains(kind) {
                types.append((indentation, name))
            }
        }
    }
}
