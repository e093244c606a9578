import Foundation

// Turns untrusted numbers into durations and dates. Such numbers come from a response, a file, a variable or a command
// line. Swift's own conversions end the process when a number is too large.

extension Duration {
    /// Makes a duration of an untrusted number of seconds; `nil` for a negative number, for `nan`, and for more seconds
    /// than lie between the distant past and the end of the year 9999.
    package init?(outsideSeconds seconds: Double) {
        guard (0...Date.secondsOfCalendar).contains(seconds) else { return nil }
        self = .seconds(seconds)
    }

    /// The duration, limited to the range from zero to a century, which the system's clocks can count in nanoseconds.
    package var asPause: Duration { min(max(self, .zero), .seconds(36_525 * 86_400)) }
}

extension Date {
    /// The seconds since 1970 that count as a date: from the distant past to the end of the year 9999, the last year
    /// with four digits in ISO 8601. The range consists of numbers, because a range of dates would contain a date of
    /// `nan`.
    private static let calendar = Date.distantPast.timeIntervalSince1970...253_402_300_799

    fileprivate static let secondsOfCalendar = calendar.upperBound - calendar.lowerBound

    /// Makes a date from an untrusted number of seconds since 1970; `nil` for `nan`, for a date before the distant
    /// past, and for a date after the year 9999.
    package init?(outsideSecondsSince1970 seconds: Double) {
        self.init(timeIntervalSince1970: seconds)
        guard isOnCalendar else { return nil }
    }

    package var isOnCalendar: Bool { Self.calendar.contains(timeIntervalSince1970) }

    /// The whole seconds since 1970. The distant past is the lower limit, and the end of the year 9999 is the upper
    /// one.
    package var wholeSecondsSince1970: Int64 { Int64(secondsOnCalendar) }

    /// The whole milliseconds since 1970, with the same limits as ``wholeSecondsSince1970``.
    package var wholeMillisecondsSince1970: Int64 { Int64(secondsOnCalendar * 1000) }

    private var secondsOnCalendar: TimeInterval {
        let seconds = timeIntervalSince1970
        guard !isOnCalendar else { return seconds }
        return seconds > Self.calendar.upperBound ? Self.calendar.upperBound : Self.calendar.lowerBound
    }

    /// Whether this date lies less than `duration` before `now`. The result is `false` for a date after `now`, because
    /// the clock was set back meanwhile.
    package func isWithin(_ duration: Duration, before now: Date) -> Bool {
        let age = now.timeIntervalSince(self)
        return age >= 0 && age < duration.timeInterval
    }

    /// Whether this deadline has not passed at `now`. Callers set a deadline at most `duration` ahead. One that is farther
    /// ahead was set before the clock was set back, and counts as passed.
    package func isAhead(of now: Date, byAtMost duration: Duration) -> Bool {
        now < self && self <= now + duration.timeInterval
    }
}

extension Duration {
    /// Whether this deadline in boot time has not passed at `now`. Callers set a deadline at most `duration` ahead. One that
    /// is farther ahead was set before the system was restarted, and counts as passed.
    package func isAhead(of now: Duration, byAtMost duration: Duration) -> Bool {
        now < self && self <= now + duration
    }
}
