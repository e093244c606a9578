import Foundation
import IdentityKit
import TestSupport

/// Which local value stands for which recorded one.
///
/// Learnt by laying a recorded answer beside the local one: two strings at the same place stand for each other, and so
/// do two query parameters of one name.
struct RecordedValues {
    /// Shorter strings are words, not ids or tokens, and would be replaced inside unrelated text.
    private static let shortestIdentifier = 16

    private var localValues: [String: String]

    init(_ localValues: [String: String]) { self.localValues = localValues }

    /// `text` with every known recorded value, plain or form-encoded, replaced by its local one.
    func applied(to text: String) -> String {
        // The longest first: a base URL is also the beginning of longer values.
        localValues.sorted { $0.key.count > $1.key.count }.reduce(text) { text, pair in
            text.replacingOccurrences(of: pair.key, with: pair.value)
                .replacingOccurrences(of: Self.formEncoded(pair.key), with: Self.formEncoded(pair.value))
        }
    }

    /// Compares an answer with the recorded one and remembers what changed.
    mutating func learn(from recorded: RecordedExchange.Response, local: LocalAnswer) {
        for (name, value) in recorded.headers {
            if let localValue = local.header(name) { learn(value, localValue) }
        }
        if let recordedJSON = try? JSONValue(parsing: Data((recorded.body ?? "").utf8)),
            let localJSON = try? JSONValue(parsing: Data(local.body.utf8))
        {
            learn(recordedJSON, localJSON)
        }
    }

    private mutating func learn(_ recorded: JSONValue, _ local: JSONValue) {
        switch (recorded, local) {
        case (.string(let recorded), .string(let local)):
            learn(recorded, local)
        case (.array(let recorded), .array(let local)):
            for (recorded, local) in zip(recorded, local) { learn(recorded, local) }
        case (.object(let recorded), .object(let local)):
            for (name, value) in recorded { if let localValue = local[name] { learn(value, localValue) } }
        default:
            break
        }
    }

    private mutating func learn(_ recorded: String, _ local: String) {
        guard recorded != local else { return }
        if let recordedItems = Self.queryItems(of: recorded), let localItems = Self.queryItems(of: local) {
            for (name, value) in recordedItems { if let localValue = localItems[name] { learn(value, localValue) } }
        } else if recorded.count >= Self.shortestIdentifier {
            localValues[recorded] = local
        }
    }

    private static func queryItems(of text: String) -> [String: String]? {
        guard text.contains("?"), let items = URLComponents(string: text)?.queryItems else { return nil }
        return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
    }

    private static func formEncoded(_ text: String) -> String {
        // Not `.alphanumerics`, which holds letters of every script.
        let letters = "abcdefghijklmnopqrstuvwxyz"
        let unreserved = CharacterSet(charactersIn: letters + letters.uppercased() + "0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
    }
}
