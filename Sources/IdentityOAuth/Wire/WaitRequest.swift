import Foundation

/// The statuses and the header `Retry-After` by which a server asks the client to send fewer requests, or to send them
/// later (RFC 6585 section 4, RFC 9110 sections 10.2.3, 15.5.9 and 15.6.4, RFC 8470 section 5.2).
enum WaitRequest {
    /// The longest wait in seconds; a longer one in `Retry-After` is shortened to this.
    private static let longest = 3600

    /// Returns whether a response asks to wait: its status is 408, 425 or 429, or 503 with a `Retry-After`.
    static func isMade(by status: Int, _ retryAfter: Duration?) -> Bool {
        [408, 425, 429].contains(status) || status == 503 && retryAfter != nil
    }

    /// Returns whether `error` comes from a response with the status 503 that has an OAuth error or asks to wait: the
    /// server is busy, so all clients have to wait.
    static func isMadeToAll(by error: any Error) -> Bool {
        switch error {
        case OAuthError.refused(let refusal): refusal.status == 503
        case OAuthError.invalidResponse(.asksToWait(503, _), _): true
        default: false
        }
    }

    /// Returns the time in `Retry-After` of the response that `error` comes from; `nil` if there is none.
    static func duration(in error: any Error) -> Duration? {
        switch error {
        case OAuthError.refused(let refusal): refusal.retryAfter
        case OAuthError.invalidResponse(.asksToWait(_, let duration), _): duration
        default: nil
        }
    }

    /// Returns the time to wait that `Retry-After` gives, in seconds or as a date.
    /// - Parameters:
    ///   - header: the value of `Retry-After`.
    ///   - date: the `Date` of the response; `nil` without one. If `Retry-After` is a date, the wait is counted from `date`
    ///     and not from the client's time, because the clocks of server and client differ.
    /// - Returns: at most one hour; `nil` for an unreadable value, and for a date if the response has no `Date`.
    static func duration(_ header: String, since date: Date?) -> Duration? {
        let text = header.trimmingCharacters(in: .whitespaces)
        if !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            return .seconds(min(Int(text) ?? longest, longest))
        }
        guard let date, let end = HTTPDate.parse(text) else { return nil }
        return .seconds(Int(min(max(0, end.timeIntervalSince(date)), Double(longest))))
    }

    /// Returns a wait as part of an error's message, such as ` for 30 s`.
    static func text(_ duration: Duration) -> String { " for \(duration.inWholeSeconds)" }
}
