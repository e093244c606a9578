import Foundation
import IdentityKit

/// The body of a request or of a response that ``WatchedTransport`` recorded.
struct WatchedMessage: Sendable {
    /// Address of a request; `nil` for a response.
    let url: URL?
    let isRequest: Bool
    let body: Data

    init(sentTo url: URL?, _ body: Data) { (self.url, isRequest, self.body) = (url, true, body) }

    init(received body: Data) { (url, isRequest, self.body) = (nil, false, body) }

    /// The strings of a JSON document with their names, or the fields of a form.
    private var texts: [(name: String, text: String)] {
        if let document = try? JSONValue(parsing: body) { return Self.texts(in: document, called: "") }
        return String(decoding: body, as: UTF8.self).split(separator: "&").compactMap { field in
            let parts = field.split(separator: "=", maxSplits: 1).map { $0.removingPercentEncoding ?? String($0) }
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
    }

    private static func texts(in value: JSONValue, called name: String) -> [(name: String, text: String)] {
        switch value {
        case .object(let members): members.flatMap { texts(in: $0.value, called: $0.key) }
        case .array(let values): values.flatMap { texts(in: $0, called: name) }
        case .string(let text): [(name, text)]
        case .null, .bool, .integer, .number: []
        }
    }

    /// The texts with a name that ends with one of `endings`, which are in lower case. In a name, case is ignored, and so is
    /// every character that is not a letter: `refreshtoken` matches `refresh_token` and `refreshToken`.
    fileprivate func texts(named endings: [String]) -> [String] {
        texts.filter { name, _ in
            let letters = name.lowercased().filter(\.isLetter)
            return endings.contains { letters.hasSuffix($0) }
        }.map(\.text)
    }

    /// Texts that must not occur in errors and logs: tokens, passwords and other secrets. For a request whose body has at least
    /// 16 characters, also the first 40 characters of the body.
    var secrets: [String] {
        // Ignore texts of fewer than 8 characters, which may occur by chance. In a response, ignore a member named password,
        // which may be the label of a form field.
        guard isRequest else { return texts(named: ["token", "assertion"]).filter { $0.count >= 8 } }
        let start = String(decoding: body, as: UTF8.self).prefix(40)
        let named = texts(named: ["token", "password", "secret", "assertion", "verifier"]).filter { $0.count >= 8 }
        return start.count >= 16 ? named + [String(start)] : named
    }
}

extension [WatchedMessage] {
    /// Whether a request contains a refresh token that an earlier response had replaced.
    var sendReplacedRefreshTokens: Bool {
        var (latest, replaced): (String?, Set<String>) = (nil, [])
        for message in self {
            let tokens = message.texts(named: ["refreshtoken"])
            if message.isRequest {
                if !replaced.isDisjoint(with: tokens) { return true }
            } else if let token = tokens.first {
                if let latest { replaced.insert(latest) }
                replaced.remove(token)
                latest = token
            }
        }
        return false
    }

    /// Whether a request went to `host` in plain http.
    func includesPlainHTTP(to host: String) -> Bool {
        contains { $0.url?.scheme?.lowercased() == "http" && $0.url?.host == host }
    }
}
