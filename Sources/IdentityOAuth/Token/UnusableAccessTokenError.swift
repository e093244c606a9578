import Foundation
import IdentityKit

/// The response to a refresh whose access token must not be used, but whose refresh token replaces the spent one.
struct UnusableAccessTokenError: Error {
    let reason: OAuthError
    private let refreshToken: Secret
    private let refreshTokenExpiresIn: Duration?

    /// Creates an error; `nil` without a refresh token.
    init?(_ reason: OAuthError, _ refreshToken: Secret?, _ refreshTokenExpiresIn: Duration?) {
        guard let refreshToken else { return nil }
        self.reason = reason
        self.refreshToken = refreshToken
        self.refreshTokenExpiresIn = refreshTokenExpiresIn
    }

    /// The session `credential` with the new refresh token and its old access token.
    /// - Parameter sentAt: when the request was sent.
    func continuing(_ credential: Credential, sentAt: Date) -> Credential {
        var kept = credential
        kept.refreshToken = refreshToken
        // The session's end is that of its refresh token.
        kept.sessionEndsAt = refreshTokenExpiresIn.map { lifetime in
            max(credential.expiresAt ?? sentAt, sentAt.end(after: lifetime))
        }
        return kept
    }
}
