import Foundation

/// Everything secret that passes by, and everything a person or a log could get to see: at the end nothing of the first
/// may be in the second.
package final class Wiretap: @unchecked Sendable {
    // Unchecked is sound: both properties are private and touched only while `lock` is held.
    private let lock = NSLock()
    private var secrets: Set<String>
    private var texts: Set<String> = []

    /// The names under which secrets travel, in JSON members, form fields and URL queries.
    private static let names: Set = [
        "password", "access_token", "refresh_token", "id_token", "subject_token", "accessToken", "refreshToken",
        "assertion", "challengeToken", "code", "insforge_code", "code_verifier", "token",
    ]

    /// - Parameter planted: secrets that are known beforehand.
    package init(planted: [String]) {
        secrets = Set(planted)
    }

    /// Learns the secrets in a body, JSON or a form, or in a URL.
    package func overhear(_ message: Data) {
        let found =
            if let document = try? JSONSerialization.jsonObject(with: message) {
                Self.secrets(in: document)
            } else {
                Self.secrets(inFields: String(decoding: message, as: UTF8.self))
            }
        lock.withLock { secrets.formUnion(found) }
    }

    private static func secrets(in document: Any) -> [String] {
        switch document {
        case let object as [String: Any]:
            object.flatMap { name, value in
                if names.contains(name), let secret = value as? String { [secret] } else { secrets(in: value) }
            }
        case let array as [Any]: array.flatMap(secrets)
        default: []
        }
    }

    private static func secrets(inFields text: String) -> [String] {
        text.split { "?&#".contains($0) }.flatMap { field in
            let parts = field.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, names.contains(parts[0]) else { return [] as [String] }
            return [parts[1], parts[1].removingPercentEncoding ?? parts[1]]
        }
    }

    /// Notes all that printing `value` can show.
    package func note(_ value: Any) {
        var dumped = ""
        dump(value, to: &dumped)
        var all = ["\(value)", String(reflecting: value), dumped]
        if let error = value as? any Error {
            all += [error.localizedDescription, "\(error as NSError)"]
            if let localized = error as? any LocalizedError {
                all += [localized.failureReason, localized.recoverySuggestion, localized.helpAnchor].compactMap { $0 }
            }
        }
        lock.withLock { texts.formUnion(all) }
    }

    /// How many secrets were learnt.
    package var secretCount: Int { lock.withLock { secrets.count } }
    /// How many different texts were noted.
    package var textCount: Int { lock.withLock { texts.count } }

    /// A text that shows the beginning of a secret, which is as bad as the whole; `nil` when none does.
    package var leak: String? {
        lock.withLock {
            // What is shorter than this under a name like `code` is an error's code, and occurs by chance.
            let length = 16
            let beginnings = Set(secrets.filter { $0.utf8.count >= length }.map { Array($0.utf8.prefix(length)) })
            return texts.first { text in
                let bytes = Array(text.utf8)
                return bytes.count >= length
                    && (0...bytes.count - length).contains { beginnings.contains(Array(bytes[$0..<$0 + length])) }
            }
        }
    }
}
