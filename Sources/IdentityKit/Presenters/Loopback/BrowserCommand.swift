import Foundation

/// A way to open a page: a program and its arguments.
struct BrowserCommand: Sendable, Hashable {
    let program: String
    /// `%s` in one of them stands for the address; otherwise it is the last.
    var arguments: [String] = []

    /// The commands of the variable `BROWSER`, in their order: as at `xdg-open` a list that is parted by colons, each a name
    /// or a path that may have arguments. No shell reads them.
    /// - Parameter isProgram: whether there is a program of that name. A path may have spaces and colons in it.
    static func list(_ variable: String, _ isProgram: (String) -> Bool) -> [BrowserCommand] {
        guard !isProgram(variable) else { return [BrowserCommand(program: variable)] }
        return variable.split(separator: ":").compactMap { entry in
            guard !isProgram(String(entry)) else { return BrowserCommand(program: String(entry)) }
            var words = words(of: entry)
            // A shell would put the program into the background, where every browser is here.
            if words.count > 1, words.last == "&" { words.removeLast() }
            return words.first.map { BrowserCommand(program: $0, arguments: Array(words.dropFirst())) }
        }
    }

    /// The arguments with the address in its place.
    func arguments(opening address: String) -> [String] {
        guard arguments.contains(where: { $0.contains("%s") }) else { return arguments + [address] }
        return arguments.map { $0.replacingOccurrences(of: "%s", with: address) }
    }

    /// The words of a command line: parted by spaces, except within quotes and behind a backslash.
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
