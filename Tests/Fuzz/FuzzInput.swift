import Foundation

/// One input, in forms that a person can write and read in the corpus.
struct FuzzInput {
    let data: Data

    init(_ data: Data) {
        self.data = data
    }

    /// The whole input.
    var text: String { String(decoding: data, as: UTF8.self) }

    /// The input up to its first line break, and what follows it.
    var parts: (line: String, rest: FuzzInput) {
        let end = data.withUnsafeBytes { $0.firstIndex(of: UInt8(ascii: "\n")) }
        guard let end else { return (text, FuzzInput(Data())) }
        return (String(decoding: data[..<end], as: UTF8.self), FuzzInput(Data(data[(end + 1)...])))
    }

    /// One of `choices`: the one that `word` names, and for any other word always the same one, so that a changed byte
    /// leads to another reader and not to none.
    static func choose<Choice>(_ word: some StringProtocol, from choices: [(name: String, value: Choice)]) -> Choice {
        if let named = choices.first(where: { $0.name == word }) { return named.value }
        return choices[word.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % choices.count].value
    }
}
