import Foundation

extension Error {
    /// The error's text, without anything that looks like a secret. The error of an app's own provider may contain
    /// secrets.
    package var scrubbedMessage: String { ScrubbedText.scrub(identityMessage) }
}

/// Removes secrets from a text, word by word. White space separates the words. Secrets are:
///
/// - the user information, the query and the fragment of a URL.
/// - everything in a word after a name such as `token` and an equals sign or a colon. If that sign ends the line, the
///   secret is the first word of the next line.
/// - JSON Web Tokens.
/// - the word after `Bearer`, `DPoP` or `Basic`, unless it is an ordinary word such as `proof`.
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
                // Scheme names are case-insensitive (RFC 9110 section 11.1), but "basic" in lower case is more often an
                // ordinary word. A secret may also be on the line after a name such as `token:`.
                let isOnNextLine = gap.contains { $0 != " " } && word.last.map(isSeparator) == true
                followsScheme =
                    word == "Basic" || ["bearer", "dpop"].contains(word.lowercased())
                    || isOnNextLine && secretNames.contains(name(at: word.dropLast()))
            }
            scrubbed += gap
            rest = rest[gap.endIndex...]
        }
        return scrubbed
    }

    private static func scrub(word given: Substring) -> String {
        let word = given.range(of: "://").map { scrub(url: given, after: $0.upperBound) } ?? String(given)
        var start = word.startIndex
        for position in word.indices where isSeparator(word[position]) {
            let next = word.index(after: position)
            if next < word.endIndex, secretNames.contains(name(at: word[start..<position])) {
                return word[..<next] + redacted
            }
            start = next
        }
        let bare = word.trimmingCharacters(in: .punctuationCharacters)
        return bare.hasPrefix("eyJ") && bare.count(where: { $0 == "." }) >= 2 ? redacted : word
    }

    private static func isSeparator(_ character: Character) -> Bool { character == "=" || character == ":" }

    /// The name at the end of `text`, in lower case, without quotes or brackets behind it.
    private static func name(at text: Substring) -> String {
        func isOfName(_ character: Character) -> Bool { character.isLetter || character.isNumber || character == "_" }
        return String(text.reversed().drop { !isOfName($0) }.prefix(while: isOfName).reversed()).lowercased()
    }

    private static func scrub(url: Substring, after scheme: Substring.Index) -> String {
        let end = url[scheme...].firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let authority = url[scheme..<end].prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { redacted + url[$0..<end] } ?? String(url[scheme..<end])
        return url[..<scheme] + host + (end < url.endIndex ? "?" + redacted : "")
    }
}
