import Foundation

/// Names of languages for those who speak them.
public enum LanguageName {
    /// The name of a language in the language itself, such as `Deutsch` for `de`.
    /// - Returns: the tag where the system knows no name.
    public static func own(_ tag: String) -> String {
        let name = Locale(identifier: tag).localizedString(forIdentifier: tag) ?? ""
        return name.isEmpty ? tag : name.prefix(1).uppercased() + name.dropFirst()
    }
}
