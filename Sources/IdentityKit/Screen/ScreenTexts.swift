/// The texts of a sign-in screen in one language: those of the screen itself, and translations of the English texts
/// that providers show.
public struct ScreenTexts: Sendable, Equatable {
    /// Names a text. The raw value is its key in a string catalog.
    public enum Key: String, Sendable, CaseIterable {
        /// Title of a screen that shows no step, or a step without title. Also the button for the only provider, if the
        /// provider has no vendor.
        case signIn = "sign_in"
        /// Button for a provider; the placeholder is the provider's label, such as the vendor's name.
        case signInWith = "sign_in_with"
        /// Button for an account that is signed in; the placeholder is the person's name.
        case continueAs = "continue_as"
        /// Button for an account whose session is suspended or has ended; the placeholder is the person's name.
        case signInAgainAs = "sign_in_again_as"
        /// Button for a step without actions.
        case goOn = "continue"
        /// Button that ends the running sign-in.
        case cancel
        /// Text while the screen waits for the provider.
        case busy
        /// Error for a required field that is empty, or for a value that is not among the field's options.
        case needed
        /// Error for a value that is too short or too long, if the rule has no message of its own.
        case unfit
        /// Marks an optional field; the placeholder is its label.
        case optional
        /// Text above a device code; the placeholder is the address at which to enter the code.
        case enterCode = "enter_code"
        /// Notice that a change of the configuration has ended the sign-in.
        case changed
        /// Notice that the server could not be reached or did not respond.
        case offline
        /// Notice that the device's clock is wrong, shown when a server's certificate is not valid yet.
        case clock
        /// Button that ends the session.
        case signOut = "sign_out"
        /// Button that opens the date picker.
        case chooseDate = "choose_date"
        /// Button that clears a date.
        case removeDate = "remove_date"
    }

    /// Language tag as in BCP 47, such as `de-AT`.
    package let language: String
    /// Whether the language is written from right to left.
    package var isRightToLeft = false
    package private(set) var texts: [Key: String]
    package private(set) var words: [String: String]
    /// Whether providers' texts without a translation are made longer too.
    package var isPseudo = false

    /// Makes the texts of a language.
    /// - Parameters:
    ///   - language: the language tag as in BCP 47.
    ///   - texts: the texts by key; missing ones are taken from English. The placeholder `%@` stands for a value, such
    ///     as a name.
    ///   - words: translations of providers' texts, such as labels of fields; the keys are the English texts. A
    ///     placeholder stands for any value. Texts without a translation stay English.
    public init(language: String, texts: [Key: String], words: [String: String] = [:]) {
        self.language = language
        self.texts = texts
        self.words = words
    }

    /// Returns the texts in the first of `languages` that `choices` contains. A language may be found without its
    /// region, such as `de` for `de-AT`. If none is found, returns the English texts of `choices`, or, without those,
    /// the English texts of this library.
    /// - Parameters:
    ///   - languages: language tags as in BCP 47, the preferred one first, such as `Locale.preferredLanguages`.
    ///   - choices: the available texts.
    public static func best(
        for languages: [String], among choices: [ScreenTexts] = all
    ) -> ScreenTexts {
        let found = languages.lazy.compactMap { language in
            LanguageTag(language).lookups.lazy.compactMap { tag in
                choices.first { LanguageTag($0.language).name == tag }
            }.first
        }
        return found.first ?? choices.first { LanguageTag($0.language).name == "en" } ?? .english
    }

    /// Translates an English text of a provider. A text without a translation is returned as it is, or made longer if
    /// ``isPseudo`` is `true`.
    package func said(_ english: String) -> String {
        if let known = words[english] { return known }
        // Try the longest sentences first, because they match most specifically.
        for (sentence, own) in words.sorted(by: { $0.key.count > $1.key.count }) {
            if let values = TextTemplate(sentence).values(in: english) {
                // Translate only values with a space: they may be sentences. A value without a space may be a name.
                return TextTemplate(own).filled(with: values.map { $0.contains(" ") ? said($0) : $0 })
            }
        }
        return isPseudo ? Self.longer(english) : english
    }

    /// The text for `key`, in English if this language has none, with its placeholder replaced by `name`.
    public func text(_ key: Key, _ name: String = "") -> String {
        TextTemplate(texts[key] ?? Self.englishTexts[key] ?? key.rawValue).filled(with: [name])
    }

    /// Returns these texts with some replaced, such as by the app's own words.
    /// - Parameters:
    ///   - changes: the new texts by key.
    ///   - words: further translations of providers' texts; the keys are the English texts. A translation replaces
    ///     the present one of the same text.
    public func replacing(_ changes: [Key: String], words: [String: String] = [:]) -> ScreenTexts {
        var next = self
        next.texts.merge(changes) { $1 }
        next.words.merge(words) { $1 }
        return next
    }
}
