import Foundation
import IdentityStoreFormat

/// When this process refreshes an access token.
struct RefreshSchedule: Sendable {
    typealias Urgency = TokenLife.Urgency

    /// Spreads the refreshes of processes that share a token, by up to a fifth of the window.
    let jitter: Double

    init(jitter: Double = .random(in: 0...0.2)) {
        self.jitter = jitter
    }

    func urgency(of credential: Credential, at now: Date) -> Urgency {
        credential.life.urgency(at: now, jitter: jitter)
    }

    /// When the token may be refreshed first; `nil` when it never expires.
    func earlyDate(of credential: Credential) -> Date? {
        credential.life.earlyDate(jitter: jitter)
    }
}

/// Why a token is to be replaced.
enum RefreshNeed: Hashable, Sendable {
    /// It expires soon: the refresh does not wait for another process, and callers do not see its failure.
    case early
    /// It has expired, or is about to.
    case due
    /// A resource server refused this one.
    case rejected(Secret)
    /// This one works and ends too soon for the caller, who sees the failure.
    case replaced(Secret)

    /// Whether `credential` is to be refreshed.
    func wantsRefresh(of credential: Credential, _ schedule: RefreshSchedule, at now: Date) -> Bool {
        let urgency = schedule.urgency(of: credential, at: now)
        switch self {
        case .early: return urgency != .none
        case .due: return urgency == .due
        case .rejected(let token), .replaced(let token):
            return urgency == .due || credential.accessToken == token
        }
    }

    /// Whether the current token is of no use to the caller.
    var isDemand: Bool {
        switch self {
        case .early, .due: false
        case .rejected, .replaced: true
        }
    }

    func rejects(_ credential: Credential) -> Bool {
        self == .rejected(credential.accessToken)
    }
}
