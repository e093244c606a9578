import IdentityKit

extension ThunderIDClient {
    /// Who is signed in: from the tokens and what the session knows, which costs no request; where they leave the user
    /// name, the e-mail address or the name open, from the server. Whatever was called before, the result is the same.
    /// - Parameter options: `sessionId` names the session; nothing else is looked at.
    /// - Throws: ``IAMError`` with `sessionExpired` without a session.
    public nonisolated(nonsending) func getUser(options: [String: Any]? = nil) async throws -> User {
        let sessionId = options?["sessionId"] as? String
        return try await perform { try await $0.user(of: $0.account(sessionId)) }
    }

    /// The user's own record: from `/scim2/Me` where the server has SCIM, from `/users/me` where it has not.
    /// - Parameter options: `sessionId` names the session; nothing else is looked at.
    /// - Throws: ``IAMError``.
    public nonisolated(nonsending) func getUserProfile(options: [String: Any]? = nil) async throws -> UserProfile {
        let sessionId = options?["sessionId"] as? String
        return try await perform { try await $0.profile(of: $0.account(sessionId)).profile }
    }

    /// Changes some attributes of a user's record; the others stay. `NSNull()` removes one.
    ///
    /// The server replaces records as a whole, so the record is read first. Of two changes at the same moment the later
    /// one wins.
    /// - Parameters:
    ///   - payload: the new values by attribute name.
    ///   - userId: another user's identifier, for administrators; `nil` for the signed-in user.
    /// - Returns: the user afterwards.
    /// - Throws: ``IAMError`` with `invalidInput` when the server does not accept a value.
    @discardableResult
    public nonisolated(nonsending) func updateUserProfile(
        payload: [String: Any], userId: String? = nil
    ) async throws -> User {
        let changes = payload.mapValues { AnyCodable($0).json }
        return try await perform { try await $0.update(changes, userID: userId, as: $0.account(nil)) }
    }
}
