import Foundation

// Turns numbers from outside, such as from a response, a file, a variable or a command line, into durations and dates.
// Swift's own conversions end the process when a number is too large.

extension Duration {
    /// A number of seconds from outside; `nil` for a negative number, for `nan`, and for more than the calendar has.
    package init?(outsideSeconds seconds: Double) {
        guard (0...Date.secondsOfCalendar).contains(seconds) else { return nil }
        self = .seconds(seconds)
    }

    /// The nearest duration from zero to a century, which the system's clocks can count in nanoseconds.
    package var asPause: Duration { min(max(self, .zero), .seconds(36_525 * 86_400)) }
}

extension Date {
    /// From the distant past to the last second of the year 9999, the last that ISO 8601 can write, in seconds since 1970.
    /// Numbers and not dates, because a date of `nan` is in every range of dates.
    private static let calendar = Date.distantPast.timeIntervalSince1970...253_402_300_799

    fileprivate static let secondsOfCalendar = calendar.upperBound - calendar.lowerBound

    /// A number of seconds since 1970 from outside; `nil` when it is no date of the calendar.
    package init?(outsideSecondsSince1970 seconds: Double) {
        self.init(timeIntervalSince1970: seconds)
        guard isOnCalendar else { return nil }
    }

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

    /// Whether this was less than `duration` before `now`. It was not when the clock was set back since.
    package func isWithin(_ duration: Duration, before now: Date) -> Bool {
        let age = now.timeIntervalSince(self)
        return age >= 0 && age < duration.timeInterval
    }

    /// Whether this deadline, set for `duration` ahead, has not passed at `now`. One that is farther ahead was set before
    /// the clock was set back, and counts as passed.
    package func isAhead(of now: Date, byAtMost duration: Duration) -> Bool {
        now < self && self <= now + duration.timeInterval
    }
}

extension Duration {
    /// As above, for boot time. A deadline that is farther ahead was set before the system was started again.
    package func isAhead(of now: Duration, byAtMost duration: Duration) -> Bool {
        now < self && self <= now + duration
    }
}

extension KeyedDecodingContainer {
    /// A date, as Foundation encodes it.
    /// - Throws: `DecodingError`, also for a number that is no date of the calendar.
    package func decodeDate(forKey key: Key) throws -> Date {
        let date = try decode(Date.self, forKey: key)
        guard date.isOnCalendar else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "It is no date.")
        }
        return date
    }

    /// A date that may be missing.
    /// - Throws: as ``decodeDate(forKey:)``.
    package func decodeDateIfPresent(forKey key: Key) throws -> Date? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try decodeDate(forKey: key)
    }
}
