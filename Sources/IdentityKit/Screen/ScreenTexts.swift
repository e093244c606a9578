/// The texts of a sign-in screen that are the screen's own, in one language.
public struct ScreenTexts: Sendable, Equatable {
    /// The occasion of a text. The raw value is the key in a catalogue.
    public enum Key: String, Sendable, CaseIterable {
        /// The title of a screen without a step of a name.
        case signIn = "sign_in"
        /// The button of a backend; the placeholder is the backend's name.
        case signInWith = "sign_in_with"
        /// The button of an account that is there; the placeholder is the person's name.
        case continueAs = "continue_as"
        /// The button of a suspended session; the placeholder is the person's name.
        case signInAgainAs = "sign_in_again_as"
        /// The button of a step without actions.
        case goOn = "continue"
        /// The button that ends a sign-in under way.
        case cancel
        /// The text while something is awaited.
        case busy
        /// The error of an empty field that is needed.
        case needed
        /// The error of a value that breaks a rule without words of its own.
        case unfit
        /// The mark of a field that may stay empty; the placeholder is its label.
        case optional
        /// The text above a device code; the placeholder is the address.
        case enterCode = "enter_code"
        /// The notice after a change of the configuration.
        case changed
        /// The notice while a server is not reached.
        case offline
        /// The notice when the device's clock is wrong.
        case clock
        /// The button that ends the session.
        case signOut = "sign_out"
        /// The button that chooses a date.
        case chooseDate = "choose_date"
        /// The button that takes a date away.
        case removeDate = "remove_date"
    }

    /// The mark in a text that a name takes.
    public static let placeholder = "%@"

    /// The language, as in BCP 47.
    public let language: String
    /// Whether the language is written from right to left.
    public let isRightToLeft: Bool
    private let texts: [Key: String]
    package let words: [String: String]
    /// Whether words that are not known are made longer.
    var isPseudo = false

    /// The texts of a language.
    /// - Parameters:
    ///   - language: as in BCP 47.
    ///   - isRightToLeft: whether it is written from right to left.
    ///   - texts: by key. A text that is missing is taken from English.
    ///   - words: the language's words for those of providers in English, such as labels of fields. A placeholder stands for
    ///     any value. Others stay as they are.
    public init(
        language: String, isRightToLeft: Bool = false, texts: [Key: String], words: [String: String] = [:]
    ) {
        self.language = language
        self.isRightToLeft = isRightToLeft
        self.texts = texts
        self.words = words
    }

    /// The texts in the first of `languages` that is there, else in English.
    /// - Parameters:
    ///   - languages: as in BCP 47, such as `Locale.preferredLanguages`.
    ///   - choices: the languages that are there.
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

    /// The words of a provider, in this language where they are known.
    public func said(_ english: String) -> String {
        if let known = words[english] { return known }
        // The longest says the most of a sentence.
        for (sentence, own) in words.sorted(by: { $0.key.count > $1.key.count }) {
            if let values = TextTemplate(sentence).values(in: english) {
                // A value may be a sentence, such as a reason, and a name stays.
                return TextTemplate(own).filled(with: values.map { $0.contains(" ") ? said($0) : $0 })
            }
        }
        return isPseudo ? Self.longer(english) : english
    }

    /// The text for `key`, with `name` in the place of its placeholder.
    public func text(_ key: Key, _ name: String = "") -> String {
        TextTemplate(texts[key] ?? Self.englishTexts[key] ?? key.rawValue).filled(with: [name])
    }

    /// The texts with `changes` in the place of some, such as the app's own words.
    /// - Parameters:
    ///   - changes: by key.
    ///   - words: the words for those of providers.
    public func replacing(_ changes: [Key: String], words: [String: String] = [:]) -> ScreenTexts {
        var next = ScreenTexts(
            language: language, isRightToLeft: isRightToLeft, texts: texts.merging(changes) { $1 },
            words: self.words.merging(words) { $1 })
        next.isPseudo = isPseudo
        return next
    }

    /// The mistakes of the texts: keys without a text, and texts and words whose placeholders differ from English.
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
