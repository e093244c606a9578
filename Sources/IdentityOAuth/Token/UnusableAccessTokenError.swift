import Foundation
import IdentityKit

/// The response to a refresh whose access token must not be used, while its refresh token takes the place of the one that
/// was spent.
struct UnusableAccessTokenError: Error {
    let reason: OAuthError
    private let refreshToken: Secret
    private let refreshTokenExpiresIn: Duration?

    /// `nil` without a refresh token.
    init?(_ reason: OAuthError, _ refreshToken: Secret?, _ refreshTokenExpiresIn: Duration?) {
        guard let refreshToken else { return nil }
        self.reason = reason
        self.refreshToken = refreshToken
        self.refreshTokenExpiresIn = refreshTokenExpiresIn
    }

    /// The session `credential` with the new refresh token beside the access token that it had.
    /// - Parameter sentAt: when the request was sent.
    func continuing(_ credential: Credential, sentAt: Date) -> Credential {
        var kept = credential
        kept.refreshToken = refreshToken
        // The end belongs to the refresh token.
        kept.sessionEndsAt = refreshTokenExpiresIn.map { lifetime in
            max(credential.expiresAt ?? sentAt, sentAt.end(after: lifetime))
        }
        return kept
    }
}
