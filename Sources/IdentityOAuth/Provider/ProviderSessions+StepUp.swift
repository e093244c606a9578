import IdentityKit

extension ProviderSessions {
    /// Ensures that a session has `scopes`, by a sign-in that asks for those it lacks (incremental consent).
    /// - Parameters:
    ///   - account: whose session.
    ///   - scopes: the scopes that the session must have.
    ///   - signIn: signs the person in again for all the given scopes, and begins the new session; `nil` if no sign-in
    ///     can be shown.
    /// - Returns: what `signIn` returns; `nil` when nothing was missing.
    /// - Throws: ``/IdentityCore/SessionError/insufficientScope(_:missing:)`` when they are not granted or no sign-in can
    ///   be shown; otherwise what the sessions and `signIn` throw.
    package func stepUp<Response>(
        _ account: AccountID, to scopes: Set<String>,
        _ signIn: (_ current: Credential, _ scopes: Set<String>) async throws -> Response?
    ) async throws -> Response? {
        do {
            _ = try await credential(for: account, scopes: scopes)
            return nil
        } catch let error as SessionError {
            switch error {
            case .insufficientScope, .stepUpNeeded, .suspended: break
            default: throw error
            }
            let current: Credential
            do {
                current = try await credential(for: account, scopes: [])
            } catch let failure as SessionError {
                switch failure {
                case .stepUpNeeded, .suspended: break
                default: throw failure
                }
                // A suspended session also has stored scopes, which the sign-in asks for again.
                guard let stored = try await storedCredential(of: account) else { throw error }
                current = stored
            }
            guard let response = try await signIn(current, current.scopes.union(scopes)) else { throw error }
            _ = try await credential(for: account, scopes: scopes)
            return response
        }
    }

    /// Begins a session. A step-up keeps from the current session what its own response lacks.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func begin(_ credential: Credential, for account: AccountID, isStepUp: Bool) async throws {
        // Read only now, because the session may have been refreshed while the person signed in.
        let current = isStepUp ? try await storedCredential(of: account) : nil
        try await begin(current.map(credential.steppingUp) ?? credential, for: account)
    }
}

extension [String] {
    /// Appends those of `scopes` that are missing.
    package func adding(_ scopes: Set<String>) -> [String] { self + scopes.subtracting(self).sorted() }
}

extension IdentityEnvironment {
    /// Tells a server that a session has ended here, within five seconds. A failure is reported.
    package func sendEnd(
        of account: AccountID, _ send: @escaping @Sendable () async throws -> Void
    ) async {
        let limit = Duration.seconds(5)
        do {
            try await Deadline.run(
                limit, on: time, orThrow: TransportError.timedOut(host: "Its server", after: limit), send)
        } catch {
            refreshes.report(.notRevoked(account, because: error))
        }
    }
}
