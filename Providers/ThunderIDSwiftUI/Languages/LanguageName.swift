import Foundation

/// Names of languages, each in the language itself.
public enum LanguageName {
    /// The name of a language in the language itself, such as `Deutsch` for `de`.
    /// - Returns: the name with a capital first letter; the tag if the system does not know a name.
    public static func own(_ tag: String) -> String {
        let name = Locale(identifier: tag).localizedString(forIdentifier: tag) ?? ""
        return name.isEmpty ? tag : name.prefix(1).uppercased() + name.dropFirst()
    }
}
