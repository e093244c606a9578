import Foundation
import IdentityKit

/// The rules for values of settings, for every type of provider that has them. A mistake is a `DecodingError`, which a
/// configuration reports with the key path.
package enum SettingRules {
    /// Checks that each entry is one scope token (RFC 6749 section 3.3).
    package static func check(scopes: [String]?, at key: any CodingKey) throws {
        try check(each: scopes ?? [], at: key) { scope in
            if scope.isEmpty { return "It is empty. Leave it out." }
            if scope.contains(where: \.isWhitespace) { return "\"\(scope)\" has a blank. Write two entries." }
            return scope.isUnquotedWord ? nil : "\"\(scope)\" has a character that no scope has (RFC 6749 section 3.3)."
        }
    }

    /// The words that there are (OpenID Connect Core section 3.1.2.1).
    package static func check(prompt: [Prompt]?, at key: any CodingKey) throws {
        let known: [Prompt] = [.none, .login, .consent, .selectAccount, .create]
        try check(each: prompt ?? [], at: key) { word in
            guard !known.contains(word) else { return nil }
            let words = known.map(\.rawValue)
            let near = word.rawValue.similarName(in: words).map { " Did you mean \"\($0)\"?" } ?? ""
            return "\"\(word.rawValue)\" is no word for it.\(near) Accepted: \(words.joined(separator: ", "))."
        }
    }

    /// Where a browser may return (RFC 8252 section 7, RFC 6749 section 3.1.2).
    package static func check(redirectURI: URL?, at key: any CodingKey) throws {
        guard let redirectURI, let flaw = flaw(of: redirectURI) else { return }
        throw mistake([key], flaw)
    }

    private static func flaw(of redirectURI: URL) -> String? {
        let parts = URLParts(redirectURI.absoluteString)
        if parts?.fragment != nil {
            return "It has a fragment, which no redirect URI has. Take away what begins with #."
        }
        if parts?.hasUserInfo == true { return "It has a user name. Take it away." }
        switch parts?.scheme {
        // A browser runs these, or reads them from the disk.
        case "javascript", "vbscript", "data", "file", "about", "blob":
            return "A browser does not return to such an address. Write an https address, or an app's own scheme."
        case "http" where !redirectURI.isLoopback:
            return "It is plain http on another machine. Write https, or http://127.0.0.1 for a program on this one."
        case "https" where redirectURI.host?.isEmpty != false: return "It has no host."
        default: return nil
        }
    }

    /// The identifier itself, not the address of the document that describes the server.
    static func check(issuer: String, at key: any CodingKey) throws {
        if issuer.contains(where: \.isWhitespace) {
            throw mistake([key], "There is a blank in it or around it. Take it away.")
        }
        if let document = Discovery.documentName(in: issuer) {
            throw mistake([key], "It is the address of a document. Write it without \"\(document)\".")
        }
    }

    private static func check<Value>(
        each values: [Value], at key: any CodingKey, _ flaw: (Value) -> String?
    ) throws {
        for (index, value) in values.enumerated() {
            if let flaw = flaw(value) { throw mistake([key, ElementKey(intValue: index)], flaw) }
        }
    }

    private static func mistake(_ path: [any CodingKey], _ description: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: description))
    }

    /// The place of an element in its list.
    private struct ElementKey: CodingKey {
        let index: Int
        var intValue: Int? { index }
        var stringValue: String { "\(index)" }

        init(intValue: Int) { index = intValue }
        init?(stringValue: String) { nil }
    }
}
