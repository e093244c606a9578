import Foundation

/// Converts the value of a date field: a day of the Gregorian calendar such as `2000-02-29` (RFC 3339, full-date),
/// whatever calendar a person uses.
package enum FieldDate {
    /// Noon, because midnight does not exist on a day when clocks are set forward at midnight.
    private static let hour = 12

    /// Noon of the day `text` in `timeZone`, for a date picker.
    /// - Returns: `nil` when `text` is not such a day, or not in the years 1 to 9999.
    package static func date(of text: String, in timeZone: TimeZone = .current) -> Date? {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8...])
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = DateComponents(year: year, month: month, day: day, hour: hour)
        // Reject a day that does not exist, which a calendar turns into another day.
        guard let date = calendar.date(from: parts), self.text(of: date, in: timeZone) == text else { return nil }
        return date
    }

    /// The day of `date` in `timeZone`, such as `2000-02-29`.
    /// - Returns: `nil` outside of the years 1 to 9999, because the format has four digits for a year.
    package static func text(of date: Date, in timeZone: TimeZone = .current) -> String? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.era, .year, .month, .day], from: date)
        guard parts.era == 1, let year = parts.year, let month = parts.month, let day = parts.day,
            (1...9999).contains(year)
        else { return nil }
        return [(year, 4), (month, 2), (day, 2)].map { number, width in
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }.joined(separator: "-")
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
