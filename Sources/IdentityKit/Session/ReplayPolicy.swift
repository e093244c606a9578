import Foundation

/// Whether a refresh token may be sent again when the outcome of the first request is unknown, because the process died,
/// the connection broke, or the response could not be read.
///
/// A server that rotates refresh tokens may have spent the old one. It can treat a second use as theft and end the session
/// (RFC 9700 section 4.14.2), so the policy depends on the server.
public enum ReplayPolicy: Sendable, Equatable {
    /// The server does not rotate refresh tokens.
    case always
    /// The server accepts the predecessor of the newest refresh token until the newest is used.
    case parentAlways
    /// The server accepts a spent refresh token once more within this time.
    case window(Duration)
    /// The server treats a second use as theft. The token is sent again only once the access token has expired: if the
    /// first request never arrived, the response has new tokens; otherwise a sign-in is needed anyway.
    case never
    /// As ``never``, but once the access token has expired the user signs in again.
    case signInInstead

    /// What to do with a refresh token that may have been sent before.
    enum Verdict: Equatable {
        /// Send it; `attempt` counts from one.
        case send(attempt: Int)
        /// Use the access token, which is still valid.
        case wait
        /// End the session.
        case giveUp
    }

    /// More than a request takes and the clocks of server and client differ.
    private static let margin = Duration.seconds(5)

    /// - Parameters:
    ///   - intent: the note of the last request with this token; `nil` when it was never sent.
    ///   - isAccessTokenUsable: whether the access token is still valid.
    func verdict(on intent: RefreshIntent?, isAccessTokenUsable: Bool, at now: Date) -> Verdict {
        // After a response there is no doubt.
        guard let intent, intent.attempt > 0 else { return .send(attempt: 1) }
        // The number comes from a file, which may hold any number.
        let again = Verdict.send(attempt: min(intent.attempt, Int.max - 1) + 1)
        switch self {
        case .always, .parentAlways:
            return again
        case .window(let window)
        where intent.sentAt.isWithin(window - Self.margin, before: now) && intent.attempt == 1:
            return again
        case .window, .never:
            if isAccessTokenUsable { return .wait }
            return intent.attempt == 1 ? again : .giveUp
        case .signInInstead:
            return isAccessTokenUsable ? .wait : .giveUp
        }
    }
}
