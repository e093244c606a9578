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
