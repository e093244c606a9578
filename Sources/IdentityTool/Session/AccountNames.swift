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

    /// Learns what people call `accounts`. Of two that are called the same each has its provider's name besides, or, with one
    /// provider, keeps its identifier.
    func learn(_ accounts: [AccountSummary]) {
        let named = accounts.compactMap { summary in
            summary.profile?.inWords.map { (account: summary.account, name: $0) }
        }
        let places = Dictionary(grouping: named, by: \.name).mapValues { $0.map(\.account.realm) }
        names.withLock { names in
            for (account, name) in named {
                let realms = places[name] ?? []
                let isAlone = realms.count { $0 == account.realm } == 1
                names[account.id] = !isAlone ? account.id : realms.count == 1 ? name : "\(name) (\(account.realm))"
            }
        }
    }

    /// The name of `account`; its identifier, where nobody knows one.
    func name(of account: AccountID) -> String { names.withLock { $0[account.id] } ?? account.id }

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

extension Error {
    /// The message, in which an account has its identifier, for a name to be put in its place.
    var messageWithIdentifier: String {
        let error = (self as? ChainError)?.underlying ?? self
        return (error as? SessionError)?.messageWithIdentifier ?? identityMessage
    }
}
