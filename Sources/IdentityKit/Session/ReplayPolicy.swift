import Foundation

/// Whether a refresh token may be sent again when nobody knows what became of the first time: the process died, the
/// connection broke, the answer made no sense.
///
/// A server that rotates refresh tokens may have spent the old one and then takes a second use for a theft, which ends
/// the session everywhere. So the answer depends on the server.
public enum ReplayPolicy: Sendable, Equatable {
    /// The server does not care: its refresh tokens are not used up.
    case always
    /// The server accepts the predecessor of the newest refresh token for as long as the newest was not used.
    case parentAlways
    /// The server accepts a spent refresh token once more within this time.
    case window(Duration)
    /// The server takes a second use for a theft. The token is sent again only once the access token is gone and nothing
    /// is left to lose: the answer then is a new session, if the first request never arrived, or a sign-in that was
    /// needed anyway.
    case never
    /// Like ``never``, but not even then: the person signs in.
    case signInInstead

    /// What to do about a refresh token that may have been sent before.
    enum Verdict: Equatable {
        /// Send it; this is the `attempt`-th time.
        case send(attempt: Int)
        /// Use the access token, which still works.
        case wait
        /// Nothing can be sent any more.
        case giveUp
    }

    /// A server's clock and ours, and the time a request takes, differ by less than this.
    private static let margin = Duration.seconds(5)

    /// - Parameters:
    ///   - intent: what is known about the last time this very token was sent; `nil` when it never was.
    ///   - isAccessTokenUsable: whether there is something to lose.
    func verdict(on intent: RefreshIntent?, isAccessTokenUsable: Bool, at now: Date) -> Verdict {
        // An answered request leaves no doubt.
        guard let intent, intent.attempt > 0 else { return .send(attempt: 1) }
        // The number comes from a file, which may hold any.
        let again = Verdict.send(attempt: min(intent.attempt, Int.max - 1) + 1)
        switch self {
        case .always, .parentAlways:
            return again
        case .window(let window) where intent.wasSent(within: window - Self.margin, of: now) && intent.attempt == 1:
            return again
        case .window, .never:
            if isAccessTokenUsable { return .wait }
            return intent.attempt == 1 ? again : .giveUp
        case .signInInstead:
            return isAccessTokenUsable ? .wait : .giveUp
        }
    }
}
