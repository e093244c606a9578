import Foundation
import StoreFormat

/// When an access token is refreshed: early, while there is time and nobody has to wait, or when it must be.
struct RefreshSchedule: Sendable {
    /// How soon a token has to be refreshed.
    enum Urgency: Equatable {
        case none
        /// It works for a while; a refresh may fail.
        case early
        /// It is about to expire, or has, or was never verified.
        case due
    }

    /// Processes that share a token begin to refresh it at different times: up to a fifth of the window apart.
    let jitter: Double

    init(jitter: Double = .random(in: 0...0.2)) {
        self.jitter = jitter
    }

    func urgency(of credential: Credential, at now: Date) -> Urgency {
        if credential.pendingVerification != nil { return .due }
        guard credential.refreshToken != nil else { return credential.isValid(at: now) ? .none : .due }
        if RefreshWindow.isBeforeIssue(now, issuedAt: credential.issuedAt) { return .early }
        if credential.isDueForRefresh(at: now) { return .due }
        return earlyDate(of: credential).map { now >= $0 } ?? false ? .early : .none
    }

    /// From when on the token may be refreshed; `nil` when it never expires.
    func earlyDate(of credential: Credential) -> Date? {
        guard let expiresAt = credential.expiresAt else { return nil }
        guard credential.refreshToken != nil else { return expiresAt }
        return expiresAt - RefreshWindow.length(issuedAt: credential.issuedAt, expiresAt: expiresAt) * (1 - jitter)
    }
}
