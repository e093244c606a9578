import IdentityKit

/// A text by which a person names an account: its identifier, a name from its profile, its provider, or a part of one of
/// them.
struct AccountChoice {
    let text: String
    /// Whether the text must be complete, so that a part of an identifier or a name does not match.
    var isWhole = false
    /// The environment variable that contains the text; `nil` for a text on the command line.
    var variable: String?

    /// Returns the only account that matches the text. The text is compared with complete identifiers, then with names,
    /// with texts such as `provider/name`, with providers and, unless ``isWhole``, with parts of identifiers and names.
    /// The first of these comparisons that finds an account decides.
    /// - Throws: ``AccountChoiceError`` when no account or more than one account matches.
    func chosen(from accounts: [AccountSummary]) throws -> AccountID {
        var ways: [(AccountSummary) -> Bool] = [
            { $0.account.id == text || $0.account.spelling == text },
            { $0.profile?.isCalled(text) == true },
            { summary in
                let place = summary.account.realm + "/"
                return text.hasPrefix(place) && summary.profile?.isCalled(String(text.dropFirst(place.count))) == true
            },
            { $0.account.realm == text },
        ]
        if !isWhole { ways.append { $0.names.contains { $0.lowercased().contains(text.lowercased()) } } }
        let matches = ways.lazy.map { accounts.filter($0) }.first { !$0.isEmpty } ?? []
        guard let only = matches.first, matches.count == 1 else {
            let isCalledSo = matches.count > 1 && matches.allSatisfy { $0.profile?.isCalled(text) == true }
            let areElsewhere = Set(matches.map(\.account.realm)).count == matches.count
            throw AccountChoiceError(
                choice: self, matches: matches.map(\.inSentence), known: accounts.map(\.inSentence),
                withProvider: isCalledSo && areElsewhere ? matches.first.map { "\($0.account.realm)/\(text)" } : nil)
        }
        return only.account
    }

    /// Returns the only account that matches the text; `nil` when no account matches.
    /// - Throws: ``AccountChoiceError`` when more than one account matches.
    func found(in accounts: [AccountSummary]) throws -> AccountID? {
        do {
            return try chosen(from: accounts)
        } catch let error as AccountChoiceError where error.matches.isEmpty {
            return nil
        }
    }
}

extension AccountID {
    /// The realm and the account, separated by a slash, without the escapes of `id`.
    fileprivate var spelling: String { "\(realm)/\(account)" }
}

extension AccountSummary {
    fileprivate var names: [String] {
        [account.id, account.spelling] + (profile?.names ?? [])
    }

    /// Identifier and name as part of a sentence.
    fileprivate var inSentence: String {
        let remark = profile?.isEmailUnverified == true ? ", an address that is not verified" : ""
        return account.id + (profile?.inWords.map { " (\($0)\(remark))" } ?? "")
    }
}

extension AccountID {
    func inWords(_ profile: AccountProfile?) -> String {
        [id, profile?.inWords].compactMap { $0 }.joined(separator: "  ")
    }
}

extension AccountProfile {
    /// The display name and the address, such as `Ada <ada@example.com>`. The address is the e-mail address, or the user name
    /// if no e-mail address is known. If only one of the two is known, or both are the same, the text is that one. `nil` if
    /// neither is known.
    var inWords: String? {
        let address = (email ?? username).map(Self.shown)
        guard let name = displayName.map(Self.shown), !name.isEmpty, name != address else { return address }
        return address.map { "\(name) <\($0)>" } ?? name
    }

    /// A text of the backend without the characters that control a terminal or the direction of text.
    private static func shown(_ text: String) -> String {
        let steering: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
        let harmless = text.unicodeScalars.filter {
            !steering.contains($0.properties.generalCategory) && !$0.properties.isBidiControl
        }
        return String(String.UnicodeScalarView(harmless))
    }
}

/// Error when an ``AccountChoice`` matches no account, or more than one account.
struct AccountChoiceError: IdentityFailure {
    let choice: AccountChoice
    let matches: [String]
    let known: [String]
    /// Example of a text that matches only one account: the provider of a match and the typed text, such as `work/Ada`.
    /// `nil` if adding the provider would not make the text unambiguous.
    var withProvider: String?

    var failureCode: String { matches.isEmpty ? "unknown_account" : "ambiguous_account" }
    let failureClass = FailureClass.definitive

    /// Whether a sign-in may help: no account matches, and either the store has no account at all or the text had to be
    /// complete.
    var isAboutSignIn: Bool { matches.isEmpty && (known.isEmpty || choice.isWhole) }

    var message: String {
        let source = choice.variable.map { "\($0): " } ?? ""
        if !matches.isEmpty {
            let more =
                withProvider.map { "Type its provider too, such as \($0)." }
                ?? (choice.isWhole ? "Give its identifier." : "Type more of it.")
            return source + "\"\(choice.text)\" may be \(matches.joined(separator: " or ")). \(more)"
        }
        let others = known.isEmpty ? "No account is signed in." : "There are: \(known.joined(separator: ", "))."
        return source + "There is no account \"\(choice.text)\". \(others)"
    }
}
