import Foundation

extension ProviderSessions {
    /// What is stored for the account that signed in last, without a request and without suspending anybody: for an
    /// interface that is synchronous. The access token may have expired.
    /// - Returns: `nil` when the store cannot answer at once, or what a refresh brought is still to be verified, which takes
    ///   a request; `.some(nil)` when nobody is signed in.
    /// - Throws: ``TokenStoreError``.
    package func immediateCredential() throws -> (account: AccountID, credential: Credential)?? {
        guard let known = try records.immediateNewestLive(), known?.credential.pendingVerification == nil else {
            return nil
        }
        return .some(known)
    }

    /// The credential as it is stored, valid or not, without a request to anybody; `nil` when there is no session.
    ///
    /// Its tokens are not to be handed out while ``Credential/pendingVerification`` is there;
    /// ``credential(for:scopes:replacing:)`` verifies them first.
    /// - Throws: ``TokenStoreError`` when that cannot be known.
    public func storedCredential(of account: AccountID) async throws -> Credential? {
        do {
            return try await records.live(account).credential
        } catch is SessionError {
            return nil
        }
    }

    /// Remembers something else about a live session, and how its account is known. Its tokens stay as they are.
    ///
    /// It is written with the lease held, so that it cannot cost a refresh in flight its result. While somebody refreshes,
    /// nothing is written: the refresh's own answer is newer. Nothing is written either while nobody knows whether the
    /// session's refresh token is spent, because the note that says so speaks of this generation of the record.
    /// - Parameters:
    ///   - details: what to add to the details.
    ///   - profile: how the account is known now; `nil` for as before.
    ///   - account: whose session it is.
    /// - Throws: ``TokenStoreError``.
    package func remember(
        _ details: [String: JSONValue], profile: AccountProfile? = nil, for account: AccountID
    ) async throws {
        guard let lease = try await records.store.lease(for: .account(account)) else { return }
        do {
            let note = try await RefreshIntents(store: records.store).entry(for: account).intent
            let session = try await records.live(account)
            if let note, note.generation == session.generation, note.attempt > 0 { return await lease.release() }
            var credential = session.credential
            credential.details.merge(details) { $1 }
            credential.profile = profile ?? credential.profile
            let content = try SessionRecord.live(records.origin.claiming(credential)).encoded()
            _ = try await lease.write(content, replacing: session.generation)
        } catch is SessionError {
            // Signed out meanwhile: there is nothing to remember it with.
        } catch TokenStoreError.conflict {
            // Signed in anew meanwhile, which is newer.
        } catch {
            await lease.release()
            throw error
        }
        await lease.release()
        cache.forget(account)
    }
}
