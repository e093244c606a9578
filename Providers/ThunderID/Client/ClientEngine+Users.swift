import IdentityKit
import IdentityOAuth

extension ClientEngine {
    /// The person of a session. The data in the tokens and the session costs no request; if they do not name the
    /// person, the server is asked.
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
            // The tokens' data suffices, so only the end of the session and a cancellation are errors.
            if error is SessionError || error is CancellationError { throw error }
            return told
        }
    }

    /// The person as the server describes them now: in the user's record, or at the userinfo endpoint if there is no
    /// record for the token's subject.
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
    /// - Parameter shown: the session for which the change was entered.
    /// - Throws: `SessionChangedError` without a change if another session has begun.
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

    /// Stores a record's data with the session.
    @discardableResult
    private func note(_ record: UserDirectoryAPI.Record, of account: AccountID) async throws -> User? {
        guard let credential = try await liveCredential(of: account) else { return nil }
        let user = merged(record, credential)
        profiles.note(user, of: account, session: credential)
        let told = AccountProfile(attributes: record.attributes)
        // SCIM has other names for some attributes, so one that is not found keeps its stored value.
        let profile = record.isSCIM ? told.completed(with: credential.profile) : told
        if let profile, profile != credential.profile {
            // A failure to store the data only costs a request at the app's next start.
            try? await sessions.remember([:], profile: profile, for: account)
        }
        return user
    }

    /// The record's attributes in addition to the tokens' claims. The record is newer; the tokens tell more about the sign-in.
    private func merged(_ record: UserDirectoryAPI.Record, _ credential: Credential) -> User {
        // A user's attribute with the name `sub` must not replace the subject.
        let attributes = record.attributes.filter { $0.key != "sub" }
        return User(
            sub: credential.subject ?? record.identifier,
            claims: credential.toldClaims.merging(attributes) { $1 })
    }

    /// The response of the userinfo endpoint, requested once more with a newer token if the first is refused.
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
