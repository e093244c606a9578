import Foundation
import IdentityKit
import IdentityOAuth

/// The meaning of a refresh response without a session. Only an error of the server itself ends a session. The server's errors
/// are recognized by status and code, in most cases together with the text (Backends/InsForge.md#refresh).
///
/// The first matching row applies. Below, a page is an HTML page in place of an error document.
///
/// | Response | Verdict |
/// |---|---|
/// | 429, 408, 425; a rate limit's code with a status below 500 | `busy` |
/// | 503 with `Retry-After` | `overloaded` |
/// | any other 5xx, whatever its code | `unknown` |
/// | 3xx, 407, and a page with any other status | `inFront` |
/// | a success without an error document | `unreadable` |
/// | an error of the database with any other status (`DATABASE_…`, `MISSING_FIELD`, or another code with a text of PostgreSQL or its driver) | `unknown` |
/// | 401 `AUTH_UNAUTHORIZED` for a refresh token that is invalid, expired or of another kind, and for a user who no longer exists; 401 `AUTH_TOKEN_EXPIRED`; 404 `User not found` | `over` |
/// | 401 or 403 of a server that did not get the token, or took the client for a browser; 400 `INVALID_INPUT`; any other 404 with an error document | `misconfigured` |
/// | any other 400 or 401, and a success with an error document | `perhapsOver` |
/// | any other 4xx | `inFront` |
enum RefreshVerdict: Sendable, Equatable {
    /// The refresh token is no longer valid, so the session is over.
    case over
    /// The refresh token may be invalid. The same response some time later confirms that the token is invalid.
    case perhapsOver
    /// The server refused the request, but not the refresh token.
    case misconfigured
    /// The server asks this client to wait for the given time; `nil` if it names none.
    case busy(Duration?)
    /// The server asks all clients to wait for the given time.
    case overloaded(Duration)
    /// Something in front of the server, such as a proxy, responded, so the server has not seen the refresh token.
    case inFront
    /// The response does not show whether the refresh token is still valid or used up.
    case unknown
    /// The response is a success without a session. It says nothing about the refresh token.
    case unreadable

    init(_ body: Data, _ response: HTTPURLResponse) {
        self.init(
            status: response.statusCode, InsForgeErrorResponse(body), isPage: response.hasPage(body),
            retryAfter: response.pause(atMost: 3600))
    }

    init(
        status: Int, _ response: InsForgeErrorResponse?, isPage: Bool = false, retryAfter: Duration? = nil
    ) {
        switch (status, response?.error) {
        case (429, _), (408, _), (425, _), (..<500, "TOO_MANY_REQUESTS"), (..<500, "RATE_LIMITED"):
            self = .busy(retryAfter)
        case (503, _): self = retryAfter.map(Self.overloaded) ?? .unknown
        case (500..., _): self = .unknown
        case (300..<400, _), (407, _): self = .inFront
        case (_, nil) where isPage: self = .inFront
        case (_, nil) where status < 300: self = .unreadable
        default: self = response?.isOfDatabase == true ? .unknown : Self(words: response, status)
        }
    }

    /// - Parameter response: the error document; `nil` if the body contains none, or one without a code.
    private init(words response: InsForgeErrorResponse?, _ status: Int) {
        self =
            switch (status, response?.error, response?.message) {
            case (401, "AUTH_TOKEN_EXPIRED", _), (401, "AUTH_UNAUTHORIZED", "User not found"),
                (404, "AUTH_USER_NOT_FOUND", "User not found"), (404, "NOT_FOUND", "User not found"),
                (401, "AUTH_UNAUTHORIZED", "Invalid or expired refresh token"),
                (401, "AUTH_UNAUTHORIZED", "Invalid refresh token type"),
                (401, "AUTH_UNAUTHORIZED", "Invalid refresh session type"):
                .over
            case (401, _, "No refresh token provided"), (403, _, "Invalid CSRF token"), (400, "INVALID_INPUT", _),
                (404, .some, _):
                .misconfigured
            case (200..<300, _, _), (400, _, _), (401, _, _): .perhapsOver
            default: .inFront
            }
    }
}

extension HTTPURLResponse {
    /// Returns the time to wait by `Retry-After` (RFC 9110 section 10.2.3). If the field contains a date, the wait is counted
    /// from the response's `Date`. `nil` if the field is missing, unreadable or in the past, or if it contains a date and the
    /// response has no readable `Date`.
    /// - Parameter limit: the longest wait in seconds, which replaces a longer one.
    func pause(atMost limit: Int) -> Duration? {
        guard let text = value(forHTTPHeaderField: "Retry-After")?.trimmingCharacters(in: .whitespaces) else {
            return nil
        }
        let now = value(forHTTPHeaderField: "Date").flatMap(HTTPDate.parse)
        let seconds =
            Int(text) ?? HTTPDate.parse(text).flatMap { date in now.map { Int(date.timeIntervalSince($0)) } }
        return seconds.flatMap { $0 < 0 ? nil : .seconds(min($0, limit)) }
    }
}

extension InsForgeAuthError {
    /// A text with the status and the error code, by which a repeated refusal of a refresh is recognized. `nil` for an error
    /// without a status; for such an error, its `failureCode` is compared instead.
    var kindOfRefusal: String? {
        switch self {
        case .server(let status, let code, _): "\(status) \(code)"
        case .unreadableResponse(let status): "\(status)"
        default: nil
        }
    }
}
