import Foundation

extension ProviderSessions {
    /// The stored credential of the account that signed in last and still has a session, for a synchronous interface.
    /// The method sends no request and does not suspend, so the access token may have expired.
    /// - Returns: `nil` when the store cannot be read synchronously, or a refreshed credential still has to be
    ///   verified; `.some(nil)` when no account is signed in.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func immediateCredential() throws -> (account: AccountID, credential: Credential)?? {
        guard let known = try records.immediateNewestLive(), known?.credential.pendingVerification == nil else {
            return nil
        }
        return .some(known)
    }

    /// The stored credential, without a request, even if its access token has expired or the lifetime of the session is
    /// over. `nil` when no session is stored, or when the stored one was ended or belongs to another configuration.
    ///
    /// Do not hand out its tokens while `Credential.pendingVerification` is set: ``credential(for:scopes:replacing:)``
    /// verifies them first.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func storedCredential(of account: AccountID) async throws -> Credential? {
        do {
            return try await records.live(account).credential
        } catch is SessionError {
            return nil
        }
    }

    /// Shortens the pause after a failed refresh to at most two seconds, because a person asks for another attempt. The shorter
    /// pause applies to every process that uses the store.
    ///
    /// A pause stays unchanged if the server demanded it or refused the refresh, if the response was too large, if the access
    /// token in the response must not be used, or while the request may still be running.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func retryNow(_ account: AccountID) async throws {
        let now = records.time.now
        let further = try await storedCredential(of: account)?.grants.map(\.id) ?? []
        for grant in [nil] + further {
            let intents = RefreshIntents(store: records.store, grant: grant)
            let entry = try await intents.entry(for: account, at: now)
            guard let shorter = entry.intent?.shortened(at: now) else { continue }
            do {
                _ = try await intents.write(shorter, for: account, replacing: entry)
            } catch TokenStoreError.conflict {
                // Some other process has changed the stored intent, so that process is refreshing the session already.
            }
        }
        cache.resume(account)
    }

    /// Adds details to a live session, and may replace its profile. The session's tokens stay as they are.
    ///
    /// The account's lease is held during the write, so that the write cannot overtake a refresh. Nothing is written if another
    /// caller holds the lease, if it is unknown whether the refresh token is spent, or if the session has ended or changed.
    /// - Parameters:
    ///   - details: the details to add.
    ///   - profile: the new profile; `nil` keeps the old one.
    ///   - account: the account of the session.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func remember(
        _ details: [String: JSONValue], profile: AccountProfile? = nil, for account: AccountID
    ) async throws {
        guard let lease = try await records.store.lease(for: .account(account)) else { return }
        do {
            try await lease.releasing {
                let intents = RefreshIntents(store: records.store)
                let intent = try await intents.entry(for: account, at: records.time.now).intent
                let session = try await records.live(account)
                if let intent, intent.generation == session.tokensSince, intent.attempt > 0 { return }
                var credential = session.credentialKeepingTokens
                credential.details.merge(details) { $1 }
                credential.profile = profile ?? credential.profile
                let content = try SessionRecord.live(records.origin.claiming(credential)).encoded()
                try await lease.write(content, replacing: session.generation)
            }
        } catch is SessionError {
            // The user has signed out meanwhile.
        } catch TokenStoreError.conflict {
            // The user has signed in again meanwhile, which is newer.
        }
        cache.forget(account)
    }
}
