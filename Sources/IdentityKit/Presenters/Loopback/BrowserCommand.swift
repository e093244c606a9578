import Foundation

/// A way to open a page: a program and its arguments.
struct BrowserCommand: Sendable, Hashable {
    let program: String
    /// The arguments, in which `%s` stands for the address; without a `%s`, the address is added at the end.
    var arguments: [String] = []

    /// The commands of the variable `BROWSER`, in their order. As for `xdg-open`, they are separated by colons, each a
    /// name or a path with optional arguments. No shell is involved.
    /// - Parameter isProgram: whether a program of that name exists, to recognize paths that contain spaces or colons
    static func list(_ variable: String, _ isProgram: (String) -> Bool) -> [BrowserCommand] {
        guard !isProgram(variable) else { return [BrowserCommand(program: variable)] }
        return variable.split(separator: ":").compactMap { entry in
            guard !isProgram(String(entry)) else { return BrowserCommand(program: String(entry)) }
            var words = words(of: entry)
            // Drop a final `&`: browsers are started in the background anyway.
            if words.count > 1, words.last == "&" { words.removeLast() }
            return words.first.map { BrowserCommand(program: $0, arguments: Array(words.dropFirst())) }
        }
    }

    /// The arguments with the address filled in.
    func arguments(opening address: String) -> [String] {
        guard arguments.contains(where: { $0.contains("%s") }) else { return arguments + [address] }
        return arguments.map { $0.replacingOccurrences(of: "%s", with: address) }
    }

    /// Splits a command line at spaces, except within quotes and after a backslash.
    private static func words(of line: Substring) -> [String] {
        var (words, word, quote) = ([String](), String?.none, Character?.none)
        var rest = line.makeIterator()
        while let character = rest.next() {
            switch character {
            case "\\" where quote != "'": word = (word ?? "") + (rest.next().map(String.init) ?? "")
            case quote: quote = nil
            case "'" where quote == nil, "\"" where quote == nil: (quote, word) = (character, word ?? "")
            case " " where quote == nil, "\t" where quote == nil:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
