import IdentityKit
import IdentityOAuth

extension ClientEngine {
    /// Returns the user of a session, from the first of these sources that applies:
    ///
    /// - The data that the client has fetched from the server since the sign-in.
    /// - The tokens and the stored session, if they contain the display name, the e-mail address and the user name.
    /// - A request to the server.
    /// - Throws: ``/IdentityCore/SessionError`` if the session cannot be used any more, ``/IdentityCore/TokenStoreError`` or
    ///   `CancellationError`. Any other error of the request is thrown only if the tokens and the session contain neither a
    ///   display name nor an e-mail address nor a user name. If they contain one of these, the user from the tokens and the
    ///   session is returned.
    func user(of account: AccountID) async throws -> User {
        guard let credential = try await liveCredential(of: account) else {
            throw SessionError.notSignedIn(account)
        }
        if let known = profiles.user(of: account, session: credential) { return known }
        let claims = credential.toldClaims
        let told = User(sub: credential.subject ?? "", claims: claims, profile: credential.profile)
        let profile = credential.profile.completed(with: AccountProfile(attributes: claims))
        guard profile?.namesPerson != true else { return told }
        do {
            return try await recordedUser(of: account, credential)
        } catch let error where told.username != nil || told.email != nil || told.displayName != nil {
            // The data in the tokens suffices, unless the session cannot be used any more.
            if (error as? SessionError)?.failureClass == .definitive || error is CancellationError { throw error }
            return told
        }
    }

    /// Requests the user's record. If the server responds with an error and the session has the scope `openid`, requests
    /// the user from the userinfo endpoint instead.
    private func recordedUser(of account: AccountID, _ credential: Credential) async throws -> User {
        do {
            let record = try await profile(of: account)
            return merged(record, credential)
        } catch let error as IAMError where credential.scopes.contains("openid") && !error.isFailedConnection {
            let user = try await userInfo(of: account)
            // After a transient error, the next call requests the record again, because the record may contain more.
            if error.failureClass == .definitive { profiles.note(user, of: account, session: credential) }
            return user
        }
    }

    func profile(of account: AccountID) async throws -> UserDirectoryAPI.Record {
        let record = try await authorized(as: account) { try await users.record(as: $0) }
        await note(record, of: account)
        return record
    }

    /// Changes some attributes of a user's record.
    /// - Parameters:
    ///   - changes: the new values by attribute name; `null` removes an attribute.
    ///   - userID: the identifier of the user; `nil` for the session's own user.
    ///   - account: the account of the session.
    ///   - shown: the session for which the person entered the change; `nil` for the current session.
    /// - Throws: `SessionChangedError` without a change if `shown` is no longer the current session; ``IAMError``,
    ///   ``/IdentityCore/SessionError``, ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    func update(
        _ changes: [String: JSONValue], userID: String?, as account: AccountID, of shown: SessionNumber?
    ) async throws -> User {
        let own = try await liveCredential(of: account)?.subject
        guard let userID, !userID.hasBytes(of: own) else {
            let record = try await authorized(as: account, of: shown) {
                try await users.update(with: changes, as: $0)
            }
            return await note(record, of: account) ?? record.user
        }
        return try await authorized(as: account, of: shown) { try await users.update(userID, with: changes, as: $0) }
            .user
    }

    /// Remembers the user from a record, and stores the record's profile in the session if it has changed.
    /// - Returns: the user; `nil` if the session has ended or cannot be read. No error is thrown then, because the request for
    ///   the record has succeeded.
    @discardableResult
    private func note(_ record: UserDirectoryAPI.Record, of account: AccountID) async -> User? {
        guard let credential = try? await liveCredential(of: account) else { return nil }
        let user = merged(record, credential)
        profiles.note(user, of: account, session: credential)
        let told = AccountProfile(attributes: record.attributes)
        // SCIM has other names for some attributes, so an attribute that is not found in a SCIM record keeps its stored
        // value.
        let profile = record.isSCIM ? told.completed(with: credential.profile) : told
        if let profile, profile != credential.profile {
            // A failure to store the data only costs a request at the app's next start.
            try? await sessions.remember([:], profile: profile, for: account)
        }
        return user
    }

    /// Creates a user from the tokens' claims and the record's attributes. An attribute replaces the claim of the same
    /// name, because the record is newer.
    private func merged(_ record: UserDirectoryAPI.Record, _ credential: Credential) -> User {
        // A user's attribute with the name `sub` must not replace the subject.
        let attributes = record.attributes.filter { $0.key != "sub" }
        return User(
            sub: credential.subject ?? record.identifier,
            claims: credential.toldClaims.merging(attributes) { $1 })
    }

    /// Returns the user from the response of the userinfo endpoint and the tokens' claims. If the server refuses the
    /// access token, the request is sent once more with a newer token.
    private func userInfo(of account: AccountID) async throws -> User {
        try await retryingRefusal { refused in
            try await credential(of: account, replacing: refused?.accessToken.reveal())
        } _: { credential in
            let info = try await requireTokens().connection.relyingParty.userInfo(
                credential.accessToken, of: credential.subject, dpop: presentation.prover(for: credential))
            let claims = credential.toldClaims.merging(info.claims) { $1 }
            return User(sub: info.subject, claims: claims, profile: credential.profile)
        }
    }
}

extension IAMError {
    fileprivate var isFailedConnection: Bool { code == .networkError || code == .requestTimeout }
}
