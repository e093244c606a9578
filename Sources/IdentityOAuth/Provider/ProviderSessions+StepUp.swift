import IdentityKit

extension ProviderSessions {
    /// Ensures that a session has `scopes`. If it lacks some of them, the person signs in again for all of its scopes and
    /// the new ones (incremental consent).
    /// - Parameters:
    ///   - account: the account of the session.
    ///   - scopes: the scopes that the session must have.
    ///   - signIn: signs the person in again for all the given scopes, and begins the new session; returns `nil` if no sign-in
    ///     can be shown.
    /// - Returns: the result of `signIn`; `nil` when no scope was missing.
    /// - Throws: ``/IdentityCore/SessionError/insufficientScope(_:missing:)`` when the scopes are not granted. When no sign-in
    ///   can be shown, the ``/IdentityCore/SessionError`` that made the sign-in necessary, such as the error of a session that
    ///   is suspended until a new sign-in. Also what the sessions and `signIn` throw.
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
                // Read the scopes of a suspended session from its stored record, because the sign-in asks for these scopes
                // again.
                guard let stored = try await storedCredential(of: account) else { throw error }
                current = stored
            }
            guard let response = try await signIn(current, current.scopes.union(scopes)) else { throw error }
            _ = try await credential(for: account, scopes: scopes)
            return response
        }
    }
}

extension [String] {
    /// Returns the list with the missing members of `scopes` appended in alphabetical order.
    package func adding(_ scopes: Set<String>) -> [String] { self + scopes.subtracting(self).sorted() }
}

extension IdentityEnvironment {
    /// Runs `send`, which informs a server that a session has ended here, for at most five seconds. A failure is reported to
    /// the environment's observers.
    package func sendEnd(
        of account: AccountID, _ send: @escaping @Sendable () async throws -> Void
    ) async {
        let limit = Duration.seconds(5)
        do {
            try await Deadline.run(
                limit, on: time, orThrow: TransportError.timedOut(host: "Its server", after: limit), send)
        } catch {
            refreshMonitor.report(.notRevoked(account, because: error))
        }
    }
}
