import Foundation

extension Error {
    /// The error's text, without anything that looks like a secret. The error of an app's own provider may contain
    /// secrets.
    package var scrubbedMessage: String { ScrubbedText.scrub(identityMessage) }
}

/// Removes secrets from a text, word by word: the user information, query and fragment of a URL, everything after a name
/// such as `token` and an equals sign or a colon, JSON Web Tokens, and the word after `Bearer`, `DPoP` or `Basic`, unless
/// that is an ordinary word. White space separates the words.
package enum ScrubbedText {
    private static let secretNames: Set<String> = [
        "access_token", "refresh_token", "id_token", "token", "code", "code_verifier", "client_secret", "password",
        "secret", "assertion", "api_key", "apikey",
    ]

    /// Ordinary words that may follow the name of an authentication scheme, as in "a DPoP proof is missing".
    private static let plainWords: Set<String> = [
        "proof", "proofs", "token", "tokens", "key", "keys", "nonce", "scheme", "authentication", "credentials",
    ]

    private static let redacted = "<redacted>"

    package static func scrub(_ text: String) -> String {
        var (scrubbed, rest, followsScheme) = ("", text[...], false)
        while !rest.isEmpty {
            let word = rest.prefix { !$0.isWhitespace }
            let gap = rest[word.endIndex...].prefix(while: \.isWhitespace)
            if !word.isEmpty {
                let isPlain = plainWords.contains(word.trimmingCharacters(in: .punctuationCharacters).lowercased())
                scrubbed += followsScheme && !isPlain ? redacted : scrub(word: word)
                // The names are case-insensitive (RFC 9110 section 11.1), but "basic" is an ordinary word, too.
                followsScheme = word == "Basic" || ["bearer", "dpop"].contains(word.lowercased())
            }
            scrubbed += gap
            rest = rest[gap.endIndex...]
        }
        return scrubbed
    }

    private static func scrub(word: Substring) -> String {
        if let scheme = word.range(of: "://") { return scrub(url: word, after: scheme.upperBound) }
        var name = word.startIndex
        for position in word.indices {
            let character = word[position]
            guard character == "=" || character == ":" else {
                if !(character.isLetter || character.isNumber || character == "_" || character == "\"") {
                    name = word.index(after: position)
                }
                continue
            }
            let start = word.index(after: position)
            let isSecret = secretNames.contains(
                word[name..<position].lowercased().trimmingCharacters(in: .punctuationCharacters))
            if isSecret, start < word.endIndex { return word[..<start] + redacted }
            name = start
        }
        let bare = word.trimmingCharacters(in: .punctuationCharacters)
        return bare.hasPrefix("eyJ") && bare.count(where: { $0 == "." }) >= 2 ? redacted : String(word)
    }

    private static func scrub(url: Substring, after scheme: Substring.Index) -> String {
        let end = url[scheme...].firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let authority = url[scheme..<end].prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { redacted + url[$0..<end] } ?? String(url[scheme..<end])
        return url[..<scheme] + host + (end < url.endIndex ? "?" + redacted : "")
    }
}
