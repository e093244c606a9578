import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The time by which a server's clock is ahead of this machine's. It is learned from the `Date` of a response (RFC 9110
/// section 6.6.1), or from the `iat` of a token that the server has just issued. Dates in tokens are compared with the
/// server's time, because the clocks of devices are often wrong.
package struct ClockOffset: Sendable, Hashable, Codable {
    /// The offset in seconds; negative if the server's clock is behind.
    package let seconds: TimeInterval

    package static let none = ClockOffset(seconds: 0)

    package init(seconds: TimeInterval) {
        self.seconds = seconds
    }

    /// Computes the offset from the `Date` of a response.
    /// - Parameters:
    ///   - serverDate: the `Date` of a response that arrived over TLS.
    ///   - sentAt: the time of the request, by this machine's clock.
    ///   - receivedAt: the time of the response, by this machine's clock.
    package init(serverDate: Date, sentAt: Date, receivedAt: Date) {
        // The server read its clock between `sentAt` and `receivedAt`, and cut off the fraction of a second. The real offset
        // therefore lies between `earliest` and `latest`. If zero is possible, assume zero, otherwise the middle.
        let earliest = serverDate.timeIntervalSince(receivedAt)
        let latest = serverDate.timeIntervalSince(sentAt) + 1
        seconds = earliest <= 0 && latest >= 0 ? 0 : (earliest + latest) / 2
    }

    /// Computes the offset from a response; `nil` without a readable `Date`.
    package init?(_ response: HTTPURLResponse, sentAt: Date, receivedAt: Date) {
        guard let date = HTTPDate.of(response) else { return nil }
        self.init(serverDate: date, sentAt: sentAt, receivedAt: receivedAt)
    }

    /// Computes the offset from a response with a token: by `Date`, or by the token's `iat` if the response has no `Date`.
    ///
    /// An `iat` that is not later than that of the previous token is ignored, because the response may only repeat that
    /// token. If the response has neither a `Date` nor a token with a usable `iat`, the offset is ``none``.
    /// - Parameters:
    ///   - serverDate: the `Date` of the response; `nil` without one.
    ///   - token: the token of the response.
    ///   - previous: the session's previous token; `nil` if there is none.
    ///   - sentAt: the time of the request, by this machine's clock.
    ///   - receivedAt: the time of the response, by this machine's clock.
    package init(
        serverDate: Date?, newToken token: JSONWebToken, after previous: JSONWebToken? = nil, sentAt: Date,
        receivedAt: Date
    ) {
        if let serverDate {
            self.init(serverDate: serverDate, sentAt: sentAt, receivedAt: receivedAt)
        } else if let issuedAt = token.issuedAt, issuedAt > previous?.issuedAt ?? .distantPast {
            self.init(serverDate: issuedAt, sentAt: sentAt, receivedAt: receivedAt)
        } else {
            self = .none
        }
    }

    /// The server's time when this machine's clock shows `date`.
    package func serverTime(at date: Date) -> Date {
        date + seconds
    }
}

/// Reads dates in the preferred form of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
package enum HTTPDate {
    static func of(_ response: HTTPURLResponse) -> Date? {
        response.value(forHTTPHeaderField: "Date").flatMap(parse)
    }

    package static func parse(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), 1...31 ~= day,
            let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3]), 1970...9999 ~= year
        else { return nil }
        let clock = parts[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, 0...23 ~= clock[0], 0...59 ~= clock[1], 0...60 ~= clock[2] else { return nil }
        let seconds = clock[0] * 3600 + clock[1] * 60 + clock[2]
        return Date(timeIntervalSince1970: TimeInterval(daysSince1970(year, month + 1, day) * 86_400 + seconds))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Days since 1970 in the proleptic Gregorian calendar. Years start in March here, so that the leap day is the last
    /// day of its year.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let daysBeforeYear = marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400
        let daysBeforeMonth = ((month + 9) % 12 * 153 + 2) / 5
        return daysBeforeYear + daysBeforeMonth + day - 1 - 719_468
    }
}
