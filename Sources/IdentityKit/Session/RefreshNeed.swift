import Foundation

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
