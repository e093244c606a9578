import IdentityKit

/// Names of people, which are printed in the place of their accounts' identifiers.
final class AccountNames: Sendable {
    private let names = Locked([String: String]())

    /// The words of `text` that may be identifiers of accounts.
    private static func candidates(in text: String) -> Set<String> {
        Set(text.split(whereSeparator: isSeparator).map(trimmed).filter { AccountID(id: $0) != nil })
    }

    private static func isSeparator(_ character: Character) -> Bool {
        character.isWhitespace || "\"“”'(),;<>[]{}".contains(character)
    }

    /// A word without the punctuation of its sentence.
    private static func trimmed(_ word: Substring) -> String {
        String(word.reversed().drop { ".:!?…".contains($0) }.reversed())
    }

    /// Finds out what people call the accounts in `text`. One that is unknown, or whose record cannot be read, keeps its
    /// identifier.
    func learn(from text: String, in client: IdentityClient) async {
        for id in Self.candidates(in: text) where names.withLock({ $0[id] }) == nil {
            guard let account = AccountID(id: id), let summary = try? await client.summary(of: account),
                let name = summary.profile?.inWords
            else { continue }
            names.withLock { $0[id] = name }
        }
    }

    func learn(_ accounts: [AccountSummary]) {
        names.withLock { names in
            for summary in accounts { names[summary.account.id] = summary.profile?.inWords }
        }
    }

    /// `text` with the names that were learnt. An identifier with brackets behind it is left: they have the name.
    func naming(_ text: String) -> String {
        let known = names.withLock { $0 }
        guard !known.isEmpty else { return text }
        var (named, rest) = ("", text[...])
        while let start = rest.firstIndex(where: { !Self.isSeparator($0) }) {
            let end = rest[start...].firstIndex(where: Self.isSeparator) ?? rest.endIndex
            let (word, following) = (rest[start..<end], rest[end...])
            let id = Self.trimmed(word)
            named += rest[..<start]
            if let name = known[id], !following.hasPrefix(" (") {
                named += name + word.dropFirst(id.count)
            } else {
                named += word
            }
            rest = following
        }
        return named + rest
    }
}
