import Foundation
import StoreFormat

/// When this process refreshes an access token.
struct RefreshSchedule: Sendable {
    typealias Urgency = TokenLife.Urgency

    /// Processes that share a token begin to refresh it at different times: up to a fifth of the window apart.
    let jitter: Double

    init(jitter: Double = .random(in: 0...0.2)) {
        self.jitter = jitter
    }

    func urgency(of credential: Credential, at now: Date) -> Urgency {
        credential.life.urgency(at: now, jitter: jitter)
    }

    /// From when on the token may be refreshed; `nil` when it never expires.
    func earlyDate(of credential: Credential) -> Date? {
        credential.life.earlyDate(jitter: jitter)
    }
}

/// Why a token is to be replaced.
enum RefreshNeed: Hashable, Sendable {
    /// There is time: nobody waits for anybody, and a failure is nobody's problem.
    case early
    /// It expires, or has expired.
    case due
    /// A resource server refused this one.
    case rejected(Secret)

    /// Whether `credential` is one to be replaced.
    func wantsRefresh(of credential: Credential, _ schedule: RefreshSchedule, at now: Date) -> Bool {
        let urgency = schedule.urgency(of: credential, at: now)
        switch self {
        case .early: return urgency != .none
        case .due: return urgency == .due
        case .rejected: return urgency == .due || rejects(credential)
        }
    }

    func rejects(_ credential: Credential) -> Bool {
        self == .rejected(credential.accessToken)
    }
}
