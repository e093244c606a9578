import IdentityKit

/// Names of people by account identifier. Messages show these names instead of the identifiers.
final class AccountNames: Sendable {
    private let names = Locked([String: String]())

    /// The words of `text` that may be account identifiers.
    private static func candidates(in text: String) -> Set<String> {
        Set(text.split(whereSeparator: isSeparator).map(trimmed).filter { AccountID(id: $0) != nil })
    }

    private static func isSeparator(_ character: Character) -> Bool {
        character.isWhitespace || "\"“”'(),;<>[]{}".contains(character)
    }

    /// Returns `word` without the punctuation at its end.
    private static func trimmed(_ word: Substring) -> String {
        String(word.reversed().drop { ".:!?…".contains($0) }.reversed())
    }

    /// Looks up the names for the account identifiers in `text`. An account that is unknown, has no name in its profile, or
    /// has an unreadable record gets no name, so messages show its identifier.
    func learn(from text: String, in client: IdentityClient) async {
        for id in Self.candidates(in: text) where names.withLock({ $0[id] }) == nil {
            guard let account = AccountID(id: id), let summary = try? await client.summary(of: account),
                let name = summary.profile?.inWords
            else { continue }
            names.withLock { $0[id] = name }
        }
    }

    /// Remembers the names of `accounts`. If several accounts have the same name, each name is followed by the account's
    /// realm (the name of its provider), as in `Ada (work)`. For accounts with the same name and the same realm, messages show
    /// the identifiers.
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

    /// The name of `account`; its identifier if the name is unknown.
    func name(of account: AccountID) -> String { names.withLock { $0[account.id] } ?? account.id }

    /// Returns `text` with the known names in place of account identifiers. An identifier that is followed by a parenthesis
    /// stays, because the parenthesis already contains the name.
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
    /// The error's message with account identifiers, which ``AccountNames/naming(_:)`` can replace by names. For a
    /// `ChainError` with an underlying error, the message of the underlying error.
    var messageWithIdentifier: String {
        let error = (self as? ChainError)?.underlying ?? self
        return (error as? SessionError)?.messageWithIdentifier ?? identityMessage
    }
}
