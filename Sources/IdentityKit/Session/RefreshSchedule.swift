import Foundation
import IdentityStoreFormat

/// Decides when this process refreshes an access token.
struct RefreshSchedule: Sendable {
    typealias Urgency = TokenLifetime.Urgency

    /// How long this process delays early refreshes: 0 for no delay, 1 for a delay until the token expires. By default,
    /// a random number of at most 0.2, so that processes that share a token do not refresh it at the same time.
    let jitter: Double

    init(jitter: Double = .random(in: 0...0.2)) {
        self.jitter = jitter
    }

    func urgency(of token: ResourceToken, at now: Date) -> Urgency { token.life.urgency(at: now, jitter: jitter) }

    func urgency(of credential: Credential, at now: Date) -> Urgency {
        credential.life.urgency(at: now, jitter: jitter)
    }

    /// Earliest time for refreshing the access token. Without a refresh token, the time when the access token expires.
    /// `nil` when the expiry is unknown.
    func earlyDate(of credential: Credential) -> Date? {
        credential.life.earlyDate(jitter: jitter)
    }
}

/// The reason for replacing a token.
enum RefreshNeed: Hashable, Sendable {
    /// The token expires soon, or its dates are implausible because the clock was set back. This refresh does not wait for
    /// another process. If it fails, callers get the current token, unless the session has ended.
    case early
    /// The token has expired, is about to expire, or is not verified.
    case due
    /// A resource server refused this token.
    case rejected(Secret)
    /// The token works but expires too soon for the caller, who gets the error if the refresh fails.
    case replaced(Secret)
    /// The token for a resource is missing or due. With `early`, there is a token that expires soon, and the refresh is
    /// like that of ``early``.
    case resource(TokenWish, early: Bool = false)
    /// The refresh token is to be sent in a request other than a refresh.
    case spending(TokenSpending)

    /// Whether this refresh does not wait for another process.
    var isEarly: Bool {
        switch self {
        case .early, .resource(_, early: true): true
        case .due, .rejected, .replaced, .resource, .spending: false
        }
    }

    /// The request to send instead of a refresh; `nil` for a refresh.
    var spending: TokenSpending? {
        if case .spending(let spending) = self { spending } else { nil }
    }

    /// The wish for a token for a resource; `nil` when the session's own token is refreshed or the refresh token is sent
    /// in another request.
    var wish: TokenWish? {
        if case .resource(let wish, _) = self { wish } else { nil }
    }

    /// Whether the request must not put the session at risk while other callers can still use its tokens. `true` for a
    /// request for a resource, and for a request other than a refresh.
    var mustSpareSession: Bool { wish != nil || spending != nil }

    /// Whether `credential` contains a token that the caller can use if the refresh does not take place now.
    func isServed(by credential: Credential, at now: Date) -> Bool {
        guard let wish else { return spending == nil && credential.isUsable(at: now) && !rejects(credential) }
        if case .use = credential.choice(for: wish, at: now) { return true }
        return false
    }

    func wantsRefresh(of credential: Credential, _ schedule: RefreshSchedule, at now: Date) -> Bool {
        if let wish {
            switch credential.choice(for: wish, at: now) {
            case .use(let token):
                let urgency = schedule.urgency(of: token, at: now)
                return urgency == .due || isEarly && urgency == .early
            case .ask: return true
            case .stepUp, .refused: return false
            }
        }
        let urgency = schedule.urgency(of: credential, at: now)
        switch self {
        case .early: return urgency != .none
        case .due: return urgency == .due
        case .rejected(let token), .replaced(let token):
            return urgency == .due || credential.accessToken == token
        case .resource: return false
        case .spending: return true
        }
    }

    /// Whether the caller gets the error of a failed refresh even if the session's current token is still valid.
    var isDemand: Bool {
        switch self {
        case .early, .due, .resource: false
        case .rejected, .replaced, .spending: true
        }
    }

    func rejects(_ credential: Credential) -> Bool {
        self == .rejected(credential.accessToken)
    }
}
