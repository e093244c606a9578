import IdentityKit

extension ThunderIDClient {
    /// Returns the signed-in user. Usually, the data comes from the tokens and the stored session, and no request is sent. If
    /// the user name, the e-mail address or the display name is missing there, the data is requested from the server. After a
    /// call of ``getUserProfile(options:)`` or ``updateUserProfile(payload:userId:)`` for this user, the data comes from the
    /// record that the server returned to that call.
    /// - Parameter options: `sessionId` names the session; all other options are ignored.
    /// - Throws: ``IAMError`` with `sessionExpired` if the person has to sign in, or with another code if the storage fails; or
    ///   `CancellationError`. A failed request throws only if the user name, the e-mail address and the display name are all
    ///   unknown.
    public nonisolated(nonsending) func getUser(options: [String: Any]? = nil) async throws -> User {
        let sessionId = options?["sessionId"] as? String
        return try await showing(sessionId) { try await $0.user(of: $1) }.value
    }

    /// Returns the identifier of the signed-in person, from the stored session without a request. `nil` if the session is
    /// missing or has ended, or if its access token has expired and there is no refresh token.
    package func signedInSubject() async throws -> String? {
        try await perform { try await $0.liveCredential(of: $0.account(nil))?.subject }
    }

    /// Returns the user's own record: from `/scim2/Me` if the server supports SCIM, otherwise from `/users/me`.
    /// - Parameter options: `sessionId` names the session; all other options are ignored.
    /// - Throws: ``IAMError`` with `sessionExpired` without a session, or with the code for a failure of the request;
    ///   or `CancellationError`.
    public nonisolated(nonsending) func getUserProfile(options: [String: Any]? = nil) async throws -> UserProfile {
        let sessionId = options?["sessionId"] as? String
        return try await showing(sessionId) { try await $0.profile(of: $1).profile }.value
    }

    /// Returns the current session, without a request; `nil` without a session.
    package func currentSession() async throws -> SessionNumber? {
        try await perform { try await $0.session(of: $0.account(nil)) }
    }

    /// Returns the profile of ``getUserProfile(options:)``, with the session it belongs to.
    package func shownProfile() async throws -> (value: UserProfile, session: SessionNumber?) {
        try await showing(nil) { try await $0.profile(of: $1).profile }
    }

    /// Changes some attributes of a user's record; the others stay. `NSNull()` removes an attribute.
    ///
    /// Without `userId`, the change applies to the person that the app has shown last, from ``getUser(options:)``,
    /// ``getUserProfile(options:)`` or a sign-in. The server replaces records as a whole, so the record is read first.
    /// If two clients change a record at the same time, the later change wins.
    /// - Parameters:
    ///   - payload: the new values by attribute name.
    ///   - userId: another user's identifier, for administrators; `nil` for the signed-in user.
    /// - Returns: the changed user.
    /// - Throws: ``IAMError/sessionChanged`` without a change if another session has begun since the person was shown.
    ///   ``IAMError`` with `invalidInput` if the server refuses a value, or with the code for another failure; or
    ///   `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func updateUserProfile(
        payload: [String: Any], userId: String? = nil
    ) async throws -> User {
        try await updateUserProfile(payload: payload, userId: userId, of: nil)
    }

    /// The session of the person that the app has shown last, even if the session has ended; `nil` if nobody was shown yet,
    /// or if the client is not initialized. Read this property when a screen appears, and pass the value to
    /// ``updateUserProfile(payload:userId:of:)`` when that screen saves, so that the change does not reach a person who has
    /// signed in meanwhile.
    public var sessionNumber: SessionNumber? { (try? engine())?.names.shown(nil) }

    /// Changes some attributes of a user's record, as ``updateUserProfile(payload:userId:)`` does, but only while the session
    /// `shown` is the current one.
    /// - Parameters:
    ///   - payload: the new values by attribute name.
    ///   - userId: another user's identifier, for administrators; `nil` for the signed-in user.
    ///   - shown: the value of ``sessionNumber`` when the person's screen appeared; `nil` for the present value.
    /// - Returns: the changed user.
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

    /// Runs a call whose result the app shows. Afterwards, the session of the call is recorded as the one shown last.
    private nonisolated(nonsending) func showing<Value: Sendable>(
        _ sessionID: String?, _ call: @Sendable (ClientEngine, AccountID) async throws -> Value
    ) async throws -> (value: Value, session: SessionNumber?) {
        try await perform { engine in
            let account = try await engine.account(sessionID)
            // Read the session before the call, because another one may begin during it.
            let session = try await engine.session(of: account)
            let value = try await call(engine, account)
            engine.names.show(session, as: sessionID)
            return (value, session)
        }
    }

    /// Calls `look` whenever a session of this client, or of the ``ThunderIDProvider`` with which it shares a session, begins
    /// or ends, also in another process. Cancel the returned task to stop the calls.
    /// - Throws: ``IAMError`` with `sdkNotInitialized`.
    package func followSessions(_ look: @escaping @Sendable () async -> Void) throws -> Task<Void, Never> {
        try engine().environment.store.followCurrent(
            where: { change in (try? self.engine()).map { change.isAboutCurrent(of: $0.names.realms) } ?? false },
            look: look)
    }
}
