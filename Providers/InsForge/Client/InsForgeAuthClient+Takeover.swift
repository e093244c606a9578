import IdentityKit

extension InsForgeAuthClient {
    /// The import of a session that InsForge's own SDK has stored; `nil` if that is not wanted.
    static func importOnce(
        for engine: InsForgeEngine, options: InsForgeClientOptions, leaving copy: FormerCopy
    ) -> ImportOnce? {
        guard options.auth.takesOverSession else { return nil }
        let find = LegacySDKSession.find(
            in: options.auth.formerStorage, backend: engine.backend, time: options.time)
        let sessions = engine.sessions
        return ImportOnce(of: LegacySDKSession.source, for: sessions, find: find) { kept in
            let account = await engine.account(of: kept.account)
            // At most one user is signed in at a time, so a present or former user of this client takes precedence.
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

    /// The session about to be imported, if nobody is or was signed in here.
    func pendingSession(in project: Project) -> Session? {
        guard project.sessions.immediatelyIsNew() == true, let kept = project.importOnce?.pending() else { return nil }
        return usableSession(kept.credential)
    }
}

extension InsForgeAuthClient.Project {
    /// Completes the import of a session that InsForge's own SDK has stored.
    /// - Throws: if the import is not possible now and nobody is signed in here, so that the app does not take it for a
    ///   sign-out.
    func finishFirstLook() async throws {
        try await importOnce?.finish { try await sessions.lookUp().account != nil }
    }
}
