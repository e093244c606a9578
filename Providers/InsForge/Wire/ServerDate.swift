import Foundation
import IdentityKit

/// Reads the server's dates: ISO 8601 in UTC, usually with milliseconds.
enum ServerDate {
    static func parse(_ text: String) -> Date? {
        // Refuse long texts before they are parsed. A date with a four-digit year fits into 40 bytes.
        guard text.utf8.count <= 40 else { return nil }
        let date =
            (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
            ?? (try? Date.ISO8601FormatStyle().parse(text))
        return date.flatMap { $0.isOnCalendar ? $0 : nil }
    }
}

extension KeyedDecodingContainer {
    /// Returns an optional date of a response; `nil` if it is missing or unreadable.
    func readableDate(forKey key: Key) -> Date? {
        ((try? decodeIfPresent(String.self, forKey: key)) ?? nil).flatMap(ServerDate.parse)
    }
}
