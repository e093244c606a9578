import Foundation
import IdentityKit
import OAuthKit

/// Who is signed in (contract 2.6, 2.8 and 3).
extension ClientEngine {
    /// The person a session belongs to. What a verified ID token says costs no request; without one the server is asked.
    func user(of account: AccountID) async throws -> User {
        guard let credential = try await liveCredential(of: account) else {
            throw SessionError.notSignedIn(account)
        }
        if let known = profiles.user(of: account, session: credential) { return known }
        // Only a verified ID token is ever stored.
        if let idToken = credential.idToken, let claims = try? JSONWebToken(idToken), let subject = claims.subject {
            return User(sub: subject, claims: claims.claims)
        }
        // Without the scope `openid` the userinfo endpoint is closed (contract 2.8); the user's own record is not.
        guard credential.scopes.contains("openid") else { return try await profile(of: account).user }
        return try await userInfo(of: account)
    }

    /// The user's own record, from the server.
    func profile(of account: AccountID) async throws -> UserDirectoryAPI.Record {
        let record = try await authorized(as: account) { try await users.record(as: $0) }
        if let credential = try await liveCredential(of: account) {
            profiles.note(merged(record, credential), of: account, session: credential)
        }
        return record
    }

    /// Changes some attributes of a user.
    func update(
        _ changes: [String: JSONValue], userID: String?, as account: AccountID
    ) async throws -> User {
        let own = try await liveCredential(of: account)?.subject
        guard let userID, userID != own else {
            let record = try await authorized(as: account) { try await users.update(with: changes, as: $0) }
            guard let credential = try await liveCredential(of: account) else { return record.user }
            let user = merged(record, credential)
            profiles.note(user, of: account, session: credential)
            return user
        }
        return try await authorized(as: account) { try await users.update(userID, with: changes, as: $0) }.user
    }

    /// The record over what the ID token says: the record is newer, the token knows more about the sign-in.
    private func merged(_ record: UserDirectoryAPI.Record, _ credential: Credential) -> User {
        let claims = credential.idToken.flatMap { try? JSONWebToken($0) }?.claims ?? [:]
        // A user may have an attribute of that name, which is not who they are.
        let attributes = record.attributes.filter { $0.key != "sub" }
        return User(sub: credential.subject ?? record.identifier, claims: claims.merging(attributes) { $1 })
    }

    private func userInfo(of account: AccountID) async throws -> User {
        let credential = try await credential(of: account)
        let party = try await requireTokens().relyingParty
        guard let keys = party.keys else { throw OAuthError.invalidMetadata(.missingEndpoint(member: "jwks_uri")) }
        let info = try await UserInfoRequest(
            userinfoEndpoint: party.metadata.endpoint("userinfo_endpoint"), accessToken: credential.accessToken,
            client: party.client, dpop: credential.tokenType == TokenType.dpop.rawValue ? party.dpop : nil
        ).send(using: environment.transport, subject: credential.subject, validator: party.validator, keys: keys)
        return User(sub: info.subject, claims: info.claims)
    }
}
