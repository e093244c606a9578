import IdentityKit

extension InsForgeAuthClient {
    /// Prepares the import of a session that InsForge's own SDK has stored; `nil` if the option `takesOverSession` is
    /// off.
    /// - Parameter copy: remembers the SDK's own copy of the session until that copy can be removed.
    static func importOnce(
        for engine: InsForgeEngine, options: InsForgeClientOptions, leaving copy: FormerCopy
    ) -> ImportOnce? {
        guard options.auth.takesOverSession else { return nil }
        let find = LegacySDKSession.find(
            in: options.auth.formerStorage, backend: engine.backend, time: options.time)
        let sessions = engine.sessions
        return ImportOnce(of: LegacySDKSession.source, for: sessions, find: find) { kept in
            let account = try await engine.account(of: kept.account)
            // Import nothing if a user is signed in here, because only one user is signed in at a time. Import nothing
            // after a sign-out here either, because the import would undo it.
            return try await sessions.importSession(kept, as: account) { outcome in
                copy.isAccepted(
                    kept, of: account, outcome, stored: try await sessions.storedCredential(of: account))
            } unless: {
                switch try await sessions.lookUp() {
                case .found, .suspended, .fallback: .alreadySignedIn
                case .absent(.signedOut): .signedOut
                case .absent: nil
                }
            }
        }
    }

    /// Returns the session that InsForge's own SDK has stored, until the import is complete. `nil` if there is no usable
    /// session, if a user is or was signed in to this client's store, or if the store cannot be read without waiting.
    func pendingSession(in project: Project) -> Session? {
        guard project.sessions.immediatelyIsNew() == true, let kept = project.importOnce?.pending() else { return nil }
        return usableSession(kept.credential)
    }
}

extension InsForgeAuthClient.Project {
    /// Completes the import of a session that InsForge's own SDK has stored.
    /// - Throws: an error of reading the store. If nobody is signed in to this client, also the error of an import that failed
    ///   but may succeed later. Without this error, the app would take the missing session for a sign-out.
    func finishFirstLook() async throws {
        try await importOnce?.finish { try await sessions.lookUp().account != nil }
    }
}
