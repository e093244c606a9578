import Foundation

/// Access tokens for resources, in addition to the session's own token.
extension ProviderSessions {
    /// A valid access token for one resource, from the session's record. A missing token is requested with the session's
    /// refresh token and added to the record. A session sends only one such request at a time. If the provider's tokens are
    /// valid for all resources, the session's own token is returned.
    /// - Parameters:
    ///   - account: the account.
    ///   - scopes: the scopes that the token must have.
    ///   - resource: the identifier of the resource (RFC 8707 section 2), spelled exactly as in the resource's metadata
    ///     (RFC 9728); `nil` for the session's own token.
    ///   - freshness: how fresh the token must be. A token that is not fresh enough for this call stays in use for other calls.
    /// - Throws: ``/IdentityCore/SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)`` when the server
    ///   gives no token for the resource, or the provider can request none. All other errors are as for
    ///   ``credential(for:scopes:replacing:)``.
    nonisolated(nonsending) package func accessToken(
        for account: AccountID, scopes: Set<String>, resource: String?, freshness: TokenFreshness = .any
    ) async throws -> String {
        guard let resource, backend.tokensByResource != TokensByResource.none else {
            return try await accessToken(for: account, scopes: scopes, freshness: freshness)
        }
        guard let style = backend.tokensByResource else {
            throw notGranted(resource, account, because: "This provider has one token, which is not for it.")
        }
        guard style != .okta else {
            throw notGranted(
                resource, account, because: "Its server has one audience. Another one takes another provider.")
        }
        // Return a known token first, without any further checks.
        if case .any = freshness, let known = cache.fresh(account, for: resource, scopes: scopes, at: time.now) {
            return known.reveal()
        }
        guard resource.isResource else {
            throw notGranted(resource.addressAlone, account, because: "Its name has other characters than an address.")
        }
        return try await token(for: TokenWish(resource, scopes: scopes, by: style), freshness, of: account).reveal()
    }

    private func token(
        for wish: TokenWish, _ freshness: TokenFreshness, of account: AccountID
    ) async throws -> Secret {
        let known = cache.session(of: account, at: time.now)
        let whole = if let known { known } else { try await read(account, keepsWhole: true) }
        try checkEnd(of: whole, account)
        var wish = wish
        let refused = Set(freshness.rejected.map { [Secret($0)] } ?? [])
        // Reject a stored token that is not fresh enough. After a refresh, reject only the token that the caller rejected.
        let missed = whole.credential.allTokens.filter {
            $0.key?.resource == wish.resource && freshness.isMissed(by: $0.expiresAt, at: time.now)
        }
        wish.rejected = refused.union(missed.map(\.accessToken))
        wish.grant = whole.credential.grant(for: wish, at: time.now)
        let session = whole.of(wish.grant) ?? whole
        var usable: Secret?
        var need = RefreshNeed.resource(wish)
        if case .ask = session.credential.choice(for: wish, at: time.now) {
            // There is no stored token to return if the request fails.
        } else {
            let token = try token(for: wish, in: session, account)
            let urgency = schedule.urgency(of: token, at: time.now)
            guard urgency != .none, !cache.isPostponed(account, at: time.now) else { return token.accessToken }
            usable = token.accessToken
            need = .resource(wish, early: urgency == .early)
        }
        do {
            let refreshed = try await refreshedOnce(account, session.generation, for: need) ?? session
            // The result of a refresh counts even if the server returned the same token, or one that expires too soon.
            if refreshed.generation != session.generation { wish.rejected = refused }
            return try token(for: wish, in: refreshed, account).accessToken
        } catch {
            // If a refresh fails, keep using a token that is still valid, unless the session has ended.
            guard let usable, !isEndOfSession(error), !Task.isCancelled else { throw error }
            cache.postpone(account, for: need.isEarly ? .random(in: 300...600) : 5, from: time.now)
            monitor.report(.postponed(account, because: error, resource: wish.resource, grant: wish.grant))
            return usable
        }
    }

    /// The token for `wish` in `session`.
    /// - Throws: ``/IdentityCore/SessionError`` when there is none.
    private func token(
        for wish: TokenWish, in session: StoredSession, _ account: AccountID
    ) throws -> ResourceToken {
        switch session.credential.choice(for: wish, at: time.now) {
        case .use(let token): return token
        case .stepUp(let missing): throw SessionError.insufficientScope(account, missing: missing)
        case .refused(let refusal):
            throw notGranted(refusal.key.resource, account, because: refusal.reason, until: refusal.end)
        // Nothing was sent, because the outcome of the last refresh is unknown.
        case .ask: throw SessionError.refreshInProgress(account)
        }
    }

    private func notGranted(
        _ resource: String, _ account: AccountID, because reason: String, until end: Date? = nil
    ) -> SessionError {
        .resourceNotGranted(account, resource: resource, reason: reason, nextAttempt: end)
    }
}
