import Foundation

/// The server's dates: ISO 8601 in UTC, as a rule with milliseconds.
enum ServerDate {
    static func parse(_ text: String) -> Date? {
        (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
            ?? (try? Date.ISO8601FormatStyle().parse(text))
    }
}

extension KeyedDecodingContainer {
    /// A date that an answer is worth nothing less without: `nil` when it is missing or cannot be read.
    func readableDate(forKey key: Key) -> Date? {
        ((try? decodeIfPresent(String.self, forKey: key)) ?? nil).flatMap(ServerDate.parse)
    }
}
