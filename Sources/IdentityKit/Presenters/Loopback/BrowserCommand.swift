import Foundation

/// A program that opens a page, with its arguments.
struct BrowserCommand: Sendable, Hashable {
    let program: String
    /// The arguments, in which `%s` stands for the address; without a `%s`, the address becomes the last argument.
    var arguments: [String] = []

    /// Parses the variable `BROWSER` into commands, in the same order. As for `xdg-open`, colons separate the commands.
    /// Each command is the name or path of a program, with optional arguments. No shell is involved.
    /// - Parameter isProgram: returns whether a program with this name or path exists. A text that names a program is not
    ///   split, so a path may contain spaces and colons.
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

    /// Returns the arguments with `address` in them.
    func arguments(opening address: String) -> [String] {
        guard arguments.contains(where: { $0.contains("%s") }) else { return arguments + [address] }
        return arguments.map { $0.replacingOccurrences(of: "%s", with: address) }
    }

    /// Splits a command line at spaces and tabs, except within quotes and after a backslash. Within single quotes, a
    /// backslash is an ordinary character.
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
