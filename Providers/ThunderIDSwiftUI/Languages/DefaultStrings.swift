/// The English texts of the views.
public enum DefaultStrings {
    /// The texts by the raw values of their ``TextKey``, as ``ThunderIDTexts/resolve(_:)`` returns them: without
    /// placeholders.
    public static let all: [String: String] = {
        let texts = ThunderIDTexts(language: "en")
        return TextKey.allCases.reduce(into: [:]) { $0[$1.rawValue] = texts.resolve($1.rawValue) }
    }()
}
