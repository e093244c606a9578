import Foundation

@testable import IdentityKit

extension Credential {
    /// The credential after a server's answer: for the resource that was wished, or for the session itself.
    func answered(
        refreshToken: String, accessToken: String, to context: RefreshContext, at now: Date
    ) -> Credential {
        var next = self
        next.refreshToken = Secret(refreshToken)
        let token = Secret(accessToken)
        if let key = context.wish?.key {
            next.file(
                ResourceToken(
                    key: key, accessToken: token, scopes: scopes, audience: [key.resource], issuedAt: now,
                    expiresAt: now + 3600))
        } else {
            (next.accessToken, next.issuedAt, next.expiresAt) = (token, now, now + 3600)
        }
        return next
    }
}
