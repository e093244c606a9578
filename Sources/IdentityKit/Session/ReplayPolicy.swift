import Foundation

/// Whether a refresh token may be sent again when the outcome of the first request is unknown, because the process died,
/// the connection broke, or the response could not be read.
///
/// A server that rotates refresh tokens may have spent the old one. It can treat a second use as theft and end the session
/// (RFC 9700 section 4.14.2), so the policy depends on the server.
public enum ReplayPolicy: Sendable, Equatable {
    /// The server does not rotate refresh tokens. The token is sent again.
    case always
    /// The server accepts the previous refresh token until the newest one is used. The token is sent again.
    case parentAlways
    /// The server still accepts a spent refresh token within this time. The time counts from the first request with unknown
    /// outcome. The token is sent again until five seconds before the time is over. After that, this policy acts like
    /// ``never``.
    case window(Duration)
    /// The server treats a second use as theft. The token is sent again only once the access token has expired, or a
    /// resource server has refused the access token. If the first request never arrived, the server answers with new
    /// tokens. If it did arrive, the server ends the session.
    case never
    /// The server treats a second use as theft. The token is never sent again. Once the access token has expired, or a
    /// resource server has refused it, the session is suspended until the user signs in.
    case signInInstead

    /// A decision about a refresh token that may already have been sent.
    enum Verdict: Equatable {
        case send
        /// Keep using the access token, which is still valid.
        case wait
        /// Wait for the end of the earlier request, which may still be running.
        case waitForEnd
        /// Suspend the session until the user signs in.
        case giveUp
    }

    /// Safety margin at the end of a window, for the duration of a request and the difference between clocks.
    private static let margin = Duration.seconds(5)

    /// Whether the server treats every second use of a refresh token as theft.
    var isStrict: Bool {
        switch self {
        case .never, .signInInstead: true
        case .always, .parentAlways, .window: false
        }
    }

    /// Decides whether the refresh token may be sent.
    /// - Parameters:
    ///   - intent: the note of the last request with this refresh token; `nil` when the token was never sent.
    ///   - isAccessTokenUsable: whether callers can still use an access token of the session.
    ///   - hasSenderEnded: whether the previous holder of the lease, which sent the last request, has certainly ended.
    func verdict(
        on intent: RefreshIntent?, isAccessTokenUsable: Bool, hasSenderEnded: Bool, at now: Date
    ) -> Verdict {
        // The number of attempts is zero if the outcome of every request is known.
        guard let intent, intent.attempt > 0 else { return .send }
        switch self {
        case .always, .parentAlways: return .send
        case .window(let window) where intent.firstSentAt.isWithin(window - Self.margin, before: now): return .send
        case .window, .never:
            if isAccessTokenUsable { return .wait }
            return intent.isOver(at: now, hasSenderEnded: hasSenderEnded) ? .send : .waitForEnd
        case .signInInstead:
            return isAccessTokenUsable ? .wait : .giveUp
        }
    }
}
