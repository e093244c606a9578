import Foundation
import IdentityKit
import IdentityOAuth

/// The meaning of a refresh response without a session. A session ends only by an error of the server itself,
/// identified by status, code and text together (Backends/InsForge.md#refresh).
///
/// | Response | Verdict |
/// |---|---|
/// | 429, 408, 425; a code of a rate limit | asked to wait |
/// | 503 with `Retry-After` | everybody is asked to wait |
/// | any other 5xx, whatever it says; an error of the database (`DATABASE_…`, `FORBIDDEN` for 42501) with any status | nothing is known |
/// | 3xx, 407, and a page with any other status | something in front of the server responded |
/// | 401 `AUTH_UNAUTHORIZED` for a refresh token that is invalid, expired or of another kind, and for a user who no longer exists; 401 `AUTH_TOKEN_EXPIRED`; 404 `User not found` | over |
/// | 401 or 403 of a server that did not get the token, or took the client for a browser; 400 `INVALID_INPUT`; 404 for the path | the client or the server is not set up right |
/// | any other error with 400 or 401, and an error object with a success | perhaps over |
/// | any other 4xx | something in front of the server responded |
/// | any other success | unreadable |
enum RefreshVerdict: Sendable, Equatable {
    /// The token is no longer valid.
    case over
    /// The token may be invalid, which the same response some time later confirms.
    case perhapsOver
    /// The request was refused, not the token.
    case misconfigured
    /// The server asks this client to wait for the given time; `nil` if it names none.
    case busy(Duration?)
    /// The server asks all clients to wait for the given time.
    case overloaded(Duration)
    /// Something in front of the server responded, so the server has not seen the token.
    case inFront
    /// The response says nothing about the token, which may be spent.
    case unknown
    /// The response is a success without a session, which says nothing about the token.
    case unreadable

    init(_ body: Data, _ response: HTTPURLResponse) {
        self.init(
            status: response.statusCode, InsForgeErrorResponse(body), isPage: response.hasPage(body),
            retryAfter: response.pause)
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

    /// - Parameter response: the error document; `nil` for one without a code.
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
    /// The wait by `Retry-After` (RFC 9110 section 10.2.3), at most an hour; a date is relative to the response's `Date`.
    fileprivate var pause: Duration? {
        guard let text = value(forHTTPHeaderField: "Retry-After")?.trimmingCharacters(in: .whitespaces) else {
            return nil
        }
        let now = value(forHTTPHeaderField: "Date").flatMap(HTTPDate.parse)
        let seconds =
            Int(text) ?? HTTPDate.parse(text).flatMap { date in now.map { Int(date.timeIntervalSince($0)) } }
        return seconds.flatMap { $0 < 0 ? nil : .seconds(min($0, 3600)) }
    }
}

extension InsForgeAuthError {
    /// Distinguishes refusals of a refresh by status and error code; `nil` to use the error's `failureCode`.
    var kindOfRefusal: String? {
        switch self {
        case .server(let status, let code, _): "\(status) \(code)"
        case .unreadableResponse(let status): "\(status)"
        default: nil
        }
    }
}
