import IdentityKit
import IdentityOAuth

extension ClientEngine {
    /// The person a session belongs to: what the tokens and the session say costs no request. Where that does not name
    /// the person, one request is sent.
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
            // Something is known, so only the end of the session and a cancellation are errors.
            if error is SessionError || error is CancellationError { throw error }
            return told
        }
    }

    /// The person as the server describes them now: in their own record, or, where the server cannot find it by the
    /// token's subject, at the userinfo endpoint.
    private func recordedUser(of account: AccountID, _ credential: Credential) async throws -> User {
        do {
            let record = try await profile(of: account)
            return merged(record, credential)
        } catch let error as IAMError where credential.scopes.contains("openid") && !error.isFailedConnection {
            let user = try await userInfo(of: account)
            profiles.note(user, of: account, session: credential)
            return user
        }
    }

    func profile(of account: AccountID) async throws -> UserDirectoryAPI.Record {
        let record = try await authorized(as: account) { try await users.record(as: $0) }
        try await note(record, of: account)
        return record
    }

    /// Changes some attributes of a user.
    /// - Parameter shown: the session that the change is meant for.
    /// - Throws: `SessionChangedError` when another session has begun; then nothing is changed.
    func update(
        _ changes: [String: JSONValue], userID: String?, as account: AccountID, of shown: SessionNumber?
    ) async throws -> User {
        let own = try await liveCredential(of: account)?.subject
        guard let userID, !userID.hasBytes(of: own) else {
            let record = try await authorized(as: account, of: shown) {
                try await users.update(with: changes, as: $0)
            }
            return try await note(record, of: account) ?? record.user
        }
        return try await authorized(as: account, of: shown) { try await users.update(userID, with: changes, as: $0) }
            .user
    }

    /// Keeps what a record says with the session.
    @discardableResult
    private func note(_ record: UserDirectoryAPI.Record, of account: AccountID) async throws -> User? {
        guard let credential = try await liveCredential(of: account) else { return nil }
        let user = merged(record, credential)
        profiles.note(user, of: account, session: credential)
        let told = AccountProfile(attributes: record.attributes)
        // SCIM has other names for some of it, which says nothing about them.
        let profile = record.isSCIM ? told.completed(with: credential.profile) : told
        if let profile, profile != credential.profile {
            // A store that cannot keep it costs the next start of the app a request.
            try? await sessions.remember([:], profile: profile, for: account)
        }
        return user
    }

    /// The record over what the tokens say: the record is newer, the tokens know more about the sign-in.
    private func merged(_ record: UserDirectoryAPI.Record, _ credential: Credential) -> User {
        // A user may have an attribute of that name, which is not who they are.
        let attributes = record.attributes.filter { $0.key != "sub" }
        return User(
            sub: credential.subject ?? record.identifier,
            claims: credential.toldClaims.merging(attributes) { $1 })
    }

    /// The answer of the userinfo endpoint, asked once more with a newer token when the first is not accepted.
    private func userInfo(of account: AccountID) async throws -> User {
        try await retryingRefusal { refused in
            try await credential(of: account, replacing: refused?.accessToken.reveal())
        } _: { credential in
            let info = try await requireTokens().connection.relyingParty.userInfo(
                credential.accessToken, subject: credential.subject, dpop: presentation.prover(for: credential))
            let claims = credential.toldClaims.merging(info.claims) { $1 }
            return User(sub: info.subject, claims: claims, profile: credential.profile)
        }
    }
}

extension IAMError {
    fileprivate var isFailedConnection: Bool { code == .networkError || code == .requestTimeout }
}
