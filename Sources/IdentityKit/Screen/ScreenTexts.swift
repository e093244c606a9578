/// The built-in texts of a sign-in screen, in one language.
public struct ScreenTexts: Sendable, Equatable {
    /// Names a text. The raw value is its key in a string catalog.
    public enum Key: String, Sendable, CaseIterable {
        /// Title of a screen whose step has no title.
        case signIn = "sign_in"
        /// Button for a provider; the placeholder is the provider's name.
        case signInWith = "sign_in_with"
        /// Button for an account that is signed in; the placeholder is the person's name.
        case continueAs = "continue_as"
        /// Button for an account with a suspended session; the placeholder is the person's name.
        case signInAgainAs = "sign_in_again_as"
        /// Button for a step without actions.
        case goOn = "continue"
        /// Button that ends the running sign-in.
        case cancel
        /// Text while the screen waits for the provider.
        case busy
        /// Error for a required field that is empty.
        case needed
        /// Error for a value that breaks a rule which has no message of its own.
        case unfit
        /// Marks an optional field; the placeholder is its label.
        case optional
        /// Text above a device code; the placeholder is the address.
        case enterCode = "enter_code"
        /// Notice after a change of the configuration.
        case changed
        /// Notice while a server cannot be reached.
        case offline
        /// The notice when the device's clock is wrong.
        case clock
        /// Button that ends the session.
        case signOut = "sign_out"
        /// Button that opens the date picker.
        case chooseDate = "choose_date"
        /// Button that clears a date.
        case removeDate = "remove_date"
    }

    /// Placeholder for a name in a text.
    public static let placeholder = "%@"

    /// Language tag as in BCP 47.
    public let language: String
    /// Whether the language is written from right to left.
    public let isRightToLeft: Bool
    private let texts: [Key: String]
    package let words: [String: String]
    /// Whether provider words without a translation are lengthened as well.
    var isPseudo = false

    /// The texts of a language.
    /// - Parameters:
    ///   - language: as in BCP 47.
    ///   - isRightToLeft: whether it is written from right to left.
    ///   - texts: the texts by key; missing ones are taken from English
    ///   - words: translations of English words of providers, such as labels of fields. A placeholder stands for any
    ///     value. Other words stay English.
    public init(
        language: String, isRightToLeft: Bool = false, texts: [Key: String], words: [String: String] = [:]
    ) {
        self.language = language
        self.isRightToLeft = isRightToLeft
        self.texts = texts
        self.words = words
    }

    /// The texts in the first of `languages` that is available, else in English.
    /// - Parameters:
    ///   - languages: as in BCP 47, such as `Locale.preferredLanguages`.
    ///   - choices: the available texts.
    public static func best(
        for languages: [String], among choices: [ScreenTexts] = all
    ) -> ScreenTexts {
        let found = languages.lazy.compactMap { language in
            LanguageTag(language).lookups.lazy.compactMap { tag in
                choices.first { LanguageTag($0.language).name == tag }
            }.first
        }
        return found.first ?? .english
    }

    /// Translates words of a provider, if a translation is known.
    public func said(_ english: String) -> String {
        if let known = words[english] { return known }
        // Try the longest sentences first, because they match most specifically.
        for (sentence, own) in words.sorted(by: { $0.key.count > $1.key.count }) {
            if let values = TextTemplate(sentence).values(in: english) {
                // Translate values that are sentences, such as reasons, but not names.
                return TextTemplate(own).filled(with: values.map { $0.contains(" ") ? said($0) : $0 })
            }
        }
        return isPseudo ? Self.longer(english) : english
    }

    /// The text for `key`, with its placeholder replaced by `name`.
    public func text(_ key: Key, _ name: String = "") -> String {
        TextTemplate(texts[key] ?? Self.englishTexts[key] ?? key.rawValue).filled(with: [name])
    }

    /// The texts with some replaced, such as by the app's own words.
    /// - Parameters:
    ///   - changes: the new texts by key.
    ///   - words: translations of words of providers.
    public func replacing(_ changes: [Key: String], words: [String: String] = [:]) -> ScreenTexts {
        var next = ScreenTexts(
            language: language, isRightToLeft: isRightToLeft, texts: texts.merging(changes) { $1 },
            words: self.words.merging(words) { $1 })
        next.isPseudo = isPseudo
        return next
    }

    /// Defects of the texts: keys without a text, and texts whose placeholders differ from the English ones.
    public var mistakes: [String] {
        let differing = words.filter { TextTemplate($0).count != TextTemplate($1).count }
        return differing.keys.sorted().map { "\(language): the placeholders of \"\($0)\" differ" } + keyMistakes
    }

    private var keyMistakes: [String] {
        Key.allCases.compactMap { key in
            guard let text = texts[key], !text.isEmpty else { return "\(language): \(key.rawValue) has no text" }
            let counts = [text, Self.englishTexts[key] ?? ""].map { TextTemplate($0).count }
            return counts[0] == counts[1] ? nil : "\(language): the placeholders of \(key.rawValue) differ"
        }
    }
}
