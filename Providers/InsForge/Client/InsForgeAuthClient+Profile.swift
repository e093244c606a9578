import IdentityKit

extension InsForgeAuthClient {
    /// Requests the signed-in user from the server; `nil` if no user is signed in, the session has expired, or the
    /// account no longer exists.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`. If the server refuses the tokens, but ``getSession()`` still
    ///   returns the session, the refusal is thrown, for example as ``InsForgeAuthError/sessionExpired``. The server may accept
    ///   the tokens again later.
    public func getCurrentUser() async throws -> User? {
        do {
            let moment = now
            return try await perform { project in
                let user = try await authorized(since: moment) { try await project.api.currentUser($0) }
                await keep(user, since: moment)
                return user
            }
        } catch InsForgeAuthError.notSignedIn {
            return nil
        } catch InsForgeAuthError.sessionExpired where !options.auth.autoRefreshToken {
            // Without automatic refresh, a session ends with its access token, even if the store still contains it.
            return nil
        } catch let error as InsForgeAuthError
            where [.sessionExpired, .userNotFound].contains(error) && getSession() == nil
        {
            return nil
        }
    }

    /// Changes the given members of the user's profile and keeps all others. Members cannot be removed: the server stores
    /// `null` as a value.
    /// - Parameters:
    ///   - profile: the members to change.
    ///   - shown: the value of ``sessionNumber`` when the change was entered; by default the current value.
    /// - Returns: the whole profile.
    /// - Throws: ``InsForgeAuthError/sessionChanged`` without a change if a session other than `shown` is current, another
    ///   ``InsForgeAuthError``, or `CancellationError`.
    @discardableResult
    public func setProfile(_ profile: [String: JSONValue], of shown: SessionNumber? = nil) async throws -> Profile {
        let (shown, moment) = (shown ?? sessionNumber, now)
        return try await perform { project in
            let updated = try await authorized(of: shown, since: moment) {
                try await project.api.updateProfile(profile, $0)
            }
            if let user = getSession()?.user, user.id.hasBytes(of: updated.id), let members = updated.profile {
                await keep(user.with(members), since: moment)
            }
            return updated
        }
    }

    /// Changes members of the user's profile to strings.
    /// - Returns: the whole profile.
    /// - Throws: as ``setProfile(_:of:)-([String:JSONValue],_)``.
    @discardableResult
    public func setProfile(_ profile: [String: String], of shown: SessionNumber? = nil) async throws -> Profile {
        try await setProfile(profile.mapValues(JSONValue.string), of: shown)
    }

    /// Requests the public profile of any user.
    /// - Throws: ``InsForgeAuthError``, such as ``InsForgeAuthError/userNotFound``, or
    ///   ``InsForgeAuthError/invalidInput(_:)`` unless `userId` is a UUID; or `CancellationError`.
    public func getProfile(userId: String) async throws -> Profile {
        try await perform { try await $0.api.profile(userID: userId) }
    }

    /// Requests the public sign-in settings of the project.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    public func getPublicConfig() async throws -> PublicConfig {
        try await perform { try await $0.api.publicConfig() }
    }

    /// Replaces the project's anonymous key, and uses the new one from now on. Only for tools of an administrator: do not
    /// put the token into an app.
    /// - Parameters:
    ///   - adminToken: an administrator's access token or the project's API key.
    ///   - gracePeriod: the time for which the old key stays valid; by default the server's 168 hours.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    public func rotateAnonKey(adminToken: Secret, gracePeriod: Duration? = nil) async throws -> AnonKeyRotation {
        try await perform { project in
            let rotation = try await project.api.rotateAnonKey(
                gracePeriodHours: gracePeriod.map { $0.timeInterval / 3600 }, adminToken)
            setAnonKey(rotation.anonKey)
            return rotation
        }
    }

    /// Stores the user as the server described them. A failure is ignored, because the call to the server has succeeded.
    private func keep(_ user: User, since moment: Moment) async {
        guard let project = try? project(), let account = try? await project.engine.account(of: user.id) else { return }
        try? await project.engine.remember(user, of: account)
        await note(account, in: project, since: moment, as: user)
    }
}
