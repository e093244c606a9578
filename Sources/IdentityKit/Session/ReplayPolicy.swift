import Foundation

/// Whether a refresh token may be sent again when the outcome of the first request is unknown, because the process died,
/// the connection broke, or the response could not be read.
///
/// A server that rotates refresh tokens may have spent the old one. It can treat a second use as theft and end the session
/// (RFC 9700 section 4.14.2), so the policy depends on the server.
public enum ReplayPolicy: Sendable, Equatable {
    /// The server does not rotate refresh tokens.
    case always
    /// The server accepts the previous refresh token until the newest one is used.
    case parentAlways
    /// The server accepts a spent refresh token once more within this time.
    case window(Duration)
    /// The server treats a second use as theft. The token is sent again only once the access token has expired: if the
    /// first request never arrived, the response has new tokens; otherwise the server ends the session.
    case never
    /// As ``never``, but once the access token has expired the user signs in again.
    case signInInstead

    /// A decision about a refresh token that may already have been sent.
    enum Verdict: Equatable {
        case send
        /// Keep using the access token, which is still valid.
        case wait
        /// Wait for an earlier request, which may still be running.
        case waitForEnd
        case giveUp
    }

    /// Safety margin for the duration of a request and the difference between clocks.
    private static let margin = Duration.seconds(5)

    /// Whether a second use of a token may end the session.
    var isStrict: Bool {
        switch self {
        case .never, .signInInstead: true
        case .always, .parentAlways, .window: false
        }
    }

    /// Decides whether the refresh token may be sent.
    /// - Parameters:
    ///   - intent: the note of the last request with this token; `nil` when it was never sent.
    ///   - isAccessTokenUsable: whether the access token is still valid.
    ///   - sender: what is known about the process that sent the last request.
    func verdict(
        on intent: RefreshIntent?, isAccessTokenUsable: Bool, after sender: LeasePredecessor, at now: Date
    ) -> Verdict {
        // Nothing is uncertain after a response.
        guard let intent, intent.attempt > 0 else { return .send }
        switch self {
        case .always, .parentAlways: return .send
        case .window(let window) where intent.firstSentAt.isWithin(window - Self.margin, before: now): return .send
        case .window, .never:
            if isAccessTokenUsable { return .wait }
            return intent.isOver(at: now, after: sender) ? .send : .waitForEnd
        case .signInInstead:
            return isAccessTokenUsable ? .wait : .giveUp
        }
    }
}
