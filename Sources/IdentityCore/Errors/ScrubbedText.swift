import Foundation

extension Error {
    /// The error's text, without anything that looks like a secret. The error of an app's own provider may contain
    /// secrets.
    package var scrubbedMessage: String { ScrubbedText.scrub(identityMessage) }
}

/// Removes secrets from a text, word by word: the query and fragment of a URL, the value after a name such as `token`
/// at the beginning of a word, JSON Web Tokens, and the word after `Bearer`, `DPoP` or `Basic`, unless that is an
/// ordinary word. Spaces separate the words.
package enum ScrubbedText {
    private static let secretNames: Set<String> = [
        "access_token", "refresh_token", "id_token", "token", "code", "code_verifier", "client_secret", "password",
        "secret", "assertion", "api_key", "apikey",
    ]

    /// Ordinary words that may follow the name of an authentication scheme, as in "a DPoP proof is missing".
    private static let plainWords: Set<String> = [
        "proof", "proofs", "token", "tokens", "key", "keys", "nonce", "scheme", "authentication", "credentials",
    ]

    package static func scrub(_ text: String) -> String {
        var followsScheme = false
        return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            defer { followsScheme = word == "Bearer" || word == "DPoP" || word == "Basic" }
            let isPlain = plainWords.contains(word.trimmingCharacters(in: .punctuationCharacters).lowercased())
            return followsScheme && !isPlain ? "<redacted>" : scrub(word: String(word))
        }.joined(separator: " ")
    }

    private static func scrub(word: String) -> String {
        if let scheme = word.range(of: "://"),
            let end = word[scheme.upperBound...].firstIndex(where: { $0 == "?" || $0 == "#" })
        {
            return word[..<end] + "?<redacted>"
        }
        if let separator = word.firstIndex(where: { $0 == "=" || $0 == ":" }),
            secretNames.contains(word[..<separator].lowercased().trimmingCharacters(in: .punctuationCharacters)),
            word.index(after: separator) < word.endIndex
        {
            return word[...separator] + "<redacted>"
        }
        let bare = word.trimmingCharacters(in: .punctuationCharacters)
        return bare.hasPrefix("eyJ") && bare.count(where: { $0 == "." }) >= 2 ? "<redacted>" : word
    }
}
