import Foundation

// The one way from a number that somebody else chose, in an answer, a file, a variable or a command line, to a duration or
// a date. Swift's own conversions end the process for a number that is too large.

extension Duration {
    /// A number of seconds from outside; `nil` for a negative one, for none, and for more than any calendar has.
    package init?(outsideSeconds seconds: Double) {
        guard (0...Date.secondsOfCalendar).contains(seconds) else { return nil }
        self = .seconds(seconds)
    }

    /// The nearest duration from none to a century, which the system's clocks can count in nanoseconds.
    package var asPause: Duration { min(max(self, .zero), .seconds(36_525 * 86_400)) }
}

extension Date {
    /// From the distant past to the last second of the year 9999, which is as far as ISO 8601 can write dates, in seconds
    /// since 1970. Numbers and not dates, because a date of no number is in every range of dates.
    private static let calendar = Date.distantPast.timeIntervalSince1970...253_402_300_799

    fileprivate static let secondsOfCalendar = calendar.upperBound - calendar.lowerBound

    /// A number of seconds since 1970 from outside; `nil` for one that is no date of the calendar.
    package init?(outsideSecondsSince1970 seconds: Double) {
        self.init(timeIntervalSince1970: seconds)
        guard isOnCalendar else { return nil }
    }

    /// Whether this can be written as a date at all.
    package var isOnCalendar: Bool { Self.calendar.contains(timeIntervalSince1970) }

    /// The whole seconds since 1970; the nearest ones on the calendar.
    package var wholeSecondsSince1970: Int64 { Int64(secondsOnCalendar) }

    /// The whole milliseconds since 1970; the nearest ones on the calendar.
    package var wholeMillisecondsSince1970: Int64 { Int64(secondsOnCalendar * 1000) }

    private var secondsOnCalendar: TimeInterval {
        let seconds = timeIntervalSince1970
        guard !isOnCalendar else { return seconds }
        return seconds > Self.calendar.upperBound ? Self.calendar.upperBound : Self.calendar.lowerBound
    }
}

extension KeyedDecodingContainer {
    /// A date that a store wrote down, as Foundation encodes it.
    /// - Throws: `DecodingError`, also for a number that is no date of the calendar.
    package func decodeDate(forKey key: Key) throws -> Date {
        let date = try decode(Date.self, forKey: key)
        guard date.isOnCalendar else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "It is no date.")
        }
        return date
    }

    /// A date that may be missing.
    /// - Throws: `DecodingError`, also for a number that is no date of the calendar.
    package func decodeDateIfPresent(forKey key: Key) throws -> Date? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try decodeDate(forKey: key)
    }
}
