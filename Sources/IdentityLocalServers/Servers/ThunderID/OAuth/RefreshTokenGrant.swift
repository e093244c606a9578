import IdentityKit

extension ThunderIDCall {
    /// Handles the grant `refresh_token` (RFC 6749 section 6), with rotation if configured (RFC 9700 section 4.14.2).
    ///
    /// All refresh tokens of a sign-in expire at the same time. Refreshes are therefore possible only during the
    /// configured lifetime, by default one day.
    func refreshGrant(of application: LocalThunderIDServer.Application, key: String?) throws -> TokenMembers {
        let text = try required("refresh_token", "Refresh token is required")
        guard let token = backend.tokens.unexpired(text), token.isRefreshToken,
            token.clientID == application.clientID, let familyID = token.familyID
        else { throw refusal }
        try refuseUnlessSpendable(backend.families.status(of: token.id, inFamily: familyID), familyID)
        try checkCredentials(token)
        // A bound refresh token can be used only with its own key (RFC 9449 section 5).
        if let bound = token.string("dpop_jkt"), bound != key {
            throw ThunderIDServerError.oauth("invalid_grant", "The refresh token is bound to another key")
        }
        let scopes = try narrow(token.scopes, to: request.formValue("scope"))
        if backend.configuration.rotatesRefreshTokens {
            try refuseUnlessSpendable(backend.families.spend(token.id, inFamily: familyID), familyID)
        }

        let grant = TokenGrant(
            application: application, userID: token.string("access_token_sub") ?? "", scopes: scopes,
            grantType: .authorizationCode, attributes: backend.tokens.cachedAttributes(token.string("aci")),
            attributeCacheID: token.string("aci"), familyID: familyID, resource: token.resource, keyThumbprint: key)
        var members = try accessTokenMembers(grant)
        members["refresh_token"] = .string(
            backend.configuration.rotatesRefreshTokens
                ? try backend.tokens.refreshToken(grant, expiresAt: token.expiresAt) : text)
        if scopes.contains("openid") { members["id_token"] = .string(try backend.tokens.idToken(grant, nil)) }
        backend.counters.withLock { $0.refreshes += 1 }
        return members
    }

    private var refusal: ThunderIDServerError { .oauth("invalid_grant", "Invalid refresh token") }

    private func refuseUnlessSpendable(_ status: TokenFamilies.Spending, _ familyID: String) throws {
        if status == .replayed { backend.noteReplay(ofFamily: familyID) }
        guard status == .spent else { throw refusal }
    }

    /// Refuses the token of an unknown or inactive user, and a token that was issued before the user's last password change
    /// or in the same second.
    private func checkCredentials(_ token: VerifiedToken) throws {
        guard let user = token.string("access_token_sub").flatMap(backend.users.user(id:)), user.isActive else {
            throw refusal
        }
        if let changedAt = user.credentialsChangedAt, token.issuedAt <= changedAt { throw refusal }
    }

    /// The requested scopes, or all granted scopes if none are requested.
    /// - Throws: `invalid_scope` if a requested scope was not granted.
    private func narrow(_ granted: [String], to requested: String?) throws -> [String] {
        let requested = (requested ?? "").split(separator: " ").map(String.init)
        guard requested.allSatisfy(granted.contains) else {
            throw ThunderIDServerError.oauth("invalid_scope", "The refresh token was not granted these scopes")
        }
        return requested.isEmpty ? granted : requested
    }
}
