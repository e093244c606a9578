import Foundation
import IdentityKit

@testable import IdentityLocalServers

extension LocalOpenIDConnectServer {
    /// Whether a refresh with this token would succeed now. The token stays as it is.
    func takes(_ refreshToken: Secret) -> Bool {
        backend.tokens.refreshToken(refreshToken.reveal()) != nil
    }
}

extension LocalThunderIDServer {
    /// Whether a refresh with this token would succeed now. The token stays as it is.
    func takes(_ refreshToken: Secret) -> Bool {
        guard let token = backend.tokens.good(refreshToken.reveal()), token.isRefreshToken, let family = token.familyID
        else { return false }
        return backend.families.status(of: token.id, inFamily: family) == .spent
    }
}

extension LocalInsForgeServer {
    /// Whether a refresh with this token would succeed now. The token stays as it is.
    func takes(_ refreshToken: Secret) -> Bool {
        let token = refreshToken.reveal()
        guard let claims = try? backend.tokens.refreshClaims(of: token, type: .user),
            backend.users.user(id: claims.subject) != nil
        else { return false }
        return !(backend.rules.legacy.refreshTokensAreSingleUse && backend.tokens.isSpent(token))
    }
}
