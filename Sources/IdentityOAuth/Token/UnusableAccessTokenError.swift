import Foundation
import IdentityKit

/// The error for a response to a refresh that has a new refresh token but no usable access token. The new refresh token
/// must be stored, because the old one is spent.
struct UnusableAccessTokenError: Error {
    let reason: OAuthError
    private let refreshToken: Secret
    private let refreshTokenExpiresIn: Duration?

    /// Creates the error; `nil` if the response has no refresh token, because there is then nothing to store.
    init?(_ reason: OAuthError, _ refreshToken: Secret?, _ refreshTokenExpiresIn: Duration?) {
        guard let refreshToken else { return nil }
        self.reason = reason
        self.refreshToken = refreshToken
        self.refreshTokenExpiresIn = refreshTokenExpiresIn
    }

    /// Returns `credential` with the new refresh token. The access token stays as it is.
    /// - Parameter sentAt: when the refresh request was sent.
    func continuing(_ credential: Credential, sentAt: Date) -> Credential {
        var kept = credential
        kept.refreshToken = refreshToken
        // The session ends when its refresh token expires, but not before its access token expires.
        kept.sessionEndsAt = refreshTokenExpiresIn.map { lifetime in
            max(credential.expiresAt ?? sentAt, sentAt.end(after: lifetime))
        }
        return kept
    }
}
