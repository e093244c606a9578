import Foundation

/// Statuses with which a server asks for fewer requests, or later ones (RFC 6585 section 4, RFC 9110 sections 10.2.3,
/// 15.5.9 and 15.6.4, RFC 8470 section 5.2).
enum WaitRequest {
    /// The longest wait in seconds, whatever a server asks for.
    private static let longest = 3600

    /// Whether a response with this status and `Retry-After` asks to wait.
    static func isMade(by status: Int, _ retryAfter: Duration?) -> Bool {
        [408, 425, 429].contains(status) || status == 503 && retryAfter != nil
    }

    /// Whether `error` is a response that asks all clients to wait, because the server is busy.
    static func isMadeToAll(by error: any Error) -> Bool {
        switch error {
        case OAuthError.refused(let refusal): refusal.status == 503
        case OAuthError.invalidResponse(.asksToWait(503, _), _): true
        default: false
        }
    }

    /// The time for which the response behind `error` asks to wait; `nil` if it names none.
    static func duration(in error: any Error) -> Duration? {
        switch error {
        case OAuthError.refused(let refusal): refusal.retryAfter
        case OAuthError.invalidResponse(.asksToWait(_, let duration), _): duration
        default: nil
        }
    }

    /// The time in `Retry-After`, which has seconds or a date.
    /// - Parameters:
    ///   - header: the header's value.
    ///   - date: the `Date` of the response, which a date is relative to because clocks differ; `nil` without one.
    /// - Returns: one hour at most; `nil` for an unreadable value.
    static func duration(_ header: String, since date: Date?) -> Duration? {
        let text = header.trimmingCharacters(in: .whitespaces)
        if !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            return .seconds(min(Int(text) ?? longest, longest))
        }
        guard let date, let end = HTTPDate.parse(text) else { return nil }
        return .seconds(Int(min(max(0, end.timeIntervalSince(date)), Double(longest))))
    }

    /// The wait for an error's text, such as ` for 30 s`.
    static func text(_ duration: Duration) -> String { " for \(duration.inWholeSeconds)" }
}
