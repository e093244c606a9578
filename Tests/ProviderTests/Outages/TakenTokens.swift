import Foundation
import IdentityKit

@testable import IdentityLocalServers

extension LocalOpenIDConnectServer {
    /// Whether a refresh with this token would succeed now. The token stays as it is.
    func takes(_ refreshToken: Secret) -> Bool {
        core.backend.tokens.refreshToken(refreshToken.reveal()) != nil
    }
}

extension LocalThunderIDServer {
    /// Whether a refresh with this token would succeed now. The token stays as it is.
    func takes(_ refreshToken: Secret) -> Bool {
        guard let token = core.backend.tokens.good(refreshToken.reveal()), token.isRefreshToken,
            let family = token.familyID
        else { return false }
        return core.backend.families.status(of: token.id, inFamily: family) == .spent
    }
}

extension LocalInsForgeServer {
    /// Whether a refresh with this token would succeed now. The token stays as it is.
    func takes(_ refreshToken: Secret) -> Bool {
        let token = refreshToken.reveal()
        guard let claims = try? core.backend.tokens.refreshClaims(of: token, type: .user),
            core.backend.users.user(id: claims.subject) != nil
        else { return false }
        return !(core.backend.rules.legacy.refreshTokensAreSingleUse && core.backend.tokens.isSpent(token))
    }
}
