import IdentityKit

/// Checks of a language and of a screen's layout.
extension ScreenTexts {
    /// English texts made a third longer and marked as right-to-left, for finding layouts that break.
    public static let pseudo: ScreenTexts = {
        var pseudo = ScreenTexts(language: "en-XB", texts: englishTexts.mapValues(longer))
        pseudo.isRightToLeft = true
        pseudo.isPseudo = true
        return pseudo
    }()

    /// Defects of the texts, described in English: a key without a text, and a text or a translated sentence whose
    /// placeholders differ from those of its English original.
    public var mistakes: [String] {
        let differing = words.filter { !TextTemplate($0).takesSameValues(as: TextTemplate($1)) }
        return differing.keys.sorted().map { "\(language): the placeholders of \"\($0)\" differ" } + keyMistakes
    }

    private var keyMistakes: [String] {
        Key.allCases.compactMap { key in
            guard let text = texts[key], !text.isEmpty else { return "\(language): \(key.rawValue) has no text" }
            let english = TextTemplate(Self.englishTexts[key] ?? "")
            return TextTemplate(text).takesSameValues(as: english)
                ? nil : "\(language): the placeholders of \(key.rawValue) differ"
        }
    }
}
