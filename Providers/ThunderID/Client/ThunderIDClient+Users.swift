import IdentityKit

extension ThunderIDClient {
    /// The signed-in user, from the tokens and what the session knows, which costs no request; where they leave the
    /// user name, the e-mail address or the name open, from the server. Whatever was called before, the result is the
    /// same.
    /// - Parameter options: `sessionId` names the session; nothing else is looked at.
    /// - Throws: ``IAMError`` with `sessionExpired` without a session.
    public nonisolated(nonsending) func getUser(options: [String: Any]? = nil) async throws -> User {
        let sessionId = options?["sessionId"] as? String
        return try await showing(sessionId) { try await $0.user(of: $1) }.value
    }

    /// The user's own record: from `/scim2/Me` where the server has SCIM, from `/users/me` where it has not.
    /// - Parameter options: `sessionId` names the session; nothing else is looked at.
    /// - Throws: ``IAMError``.
    public nonisolated(nonsending) func getUserProfile(options: [String: Any]? = nil) async throws -> UserProfile {
        let sessionId = options?["sessionId"] as? String
        return try await showing(sessionId) { try await $0.profile(of: $1).profile }.value
    }

    /// ``getUserProfile(options:)`` with the session that it is of.
    package func shownProfile() async throws -> (value: UserProfile, session: SessionNumber?) {
        try await showing(nil) { try await $0.profile(of: $1).profile }
    }

    /// Changes some attributes of a user's record; the others stay. `NSNull()` removes one.
    ///
    /// The server replaces records as a whole, so the record is read first. Of two changes at the same moment the later
    /// one wins.
    /// - Parameters:
    ///   - payload: the new values by attribute name.
    ///   - userId: another user's identifier, for administrators; `nil` for the signed-in user.
    ///
    /// The change is meant for the person whom the app has shown: whom ``getUser(options:)``, ``getUserProfile(options:)``
    /// or a sign-in returned last.
    /// - Returns: the user afterwards.
    /// - Throws: ``IAMError/sessionChanged`` when another session has begun since; then nothing is changed. ``IAMError`` with
    ///   `invalidInput` when the server does not accept a value.
    @discardableResult
    public nonisolated(nonsending) func updateUserProfile(
        payload: [String: Any], userId: String? = nil
    ) async throws -> User {
        try await updateUserProfile(payload: payload, userId: userId, of: nil)
    }

    /// The session of the person whom the app has shown last, also when it is over: for
    /// ``updateUserProfile(payload:userId:of:)`` on a screen that stays while others show somebody else.
    public var sessionNumber: SessionNumber? { (try? engine())?.names.shown(nil) }

    /// Changes some attributes of a user's record, as ``updateUserProfile(payload:userId:)`` does, for the person whom one
    /// screen shows.
    /// - Parameters:
    ///   - payload: the new values by attribute name.
    ///   - userId: another user's identifier, for administrators; `nil` for the signed-in user.
    ///   - shown: ``sessionNumber`` of the time at which the screen showed the person; `nil` for the last one.
    /// - Returns: the user afterwards.
    /// - Throws: as ``updateUserProfile(payload:userId:)``.
    @discardableResult
    public nonisolated(nonsending) func updateUserProfile(
        payload: [String: Any], userId: String? = nil, of shown: SessionNumber?
    ) async throws -> User {
        let changes = payload.mapValues { AnyCodable($0).json }
        return try await perform {
            try await $0.update(changes, userID: userId, as: $0.account(nil), of: shown ?? $0.names.shown(nil))
        }
    }

    /// The result of a call that tells the app who has the session.
    private nonisolated(nonsending) func showing<Value: Sendable>(
        _ sessionID: String?, _ call: @Sendable (ClientEngine, AccountID) async throws -> Value
    ) async throws -> (value: Value, session: SessionNumber?) {
        try await perform { engine in
            let account = try await engine.account(sessionID)
            // Before the call: what begins meanwhile is another session.
            let session = try await engine.session(of: account)
            let value = try await call(engine, account)
            engine.names.show(session, as: sessionID)
            return (value, session)
        }
    }

    /// Calls `look` whenever somebody signs in or out in the client's store from now on, also in another process, until the
    /// task that is returned is cancelled.
    /// - Throws: ``IAMError`` with `sdkNotInitialized`.
    package func followSessions(_ look: @escaping @Sendable () async -> Void) throws -> Task<Void, Never> {
        try engine().environment.store.followCurrent(
            where: { change in (try? self.engine()).map { change.isAboutCurrent(of: $0.names.realms) } ?? false },
            look: look)
    }
}
