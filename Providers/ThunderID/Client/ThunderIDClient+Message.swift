import IdentityKit

extension ThunderIDClient {
    /// Signs in without a page or a form, at a server that knows CIBA (June 2026): it sends the person a message, and they
    /// confirm it on a device of theirs. The application needs the grant `urn:openid:params:grant-type:ciba`, and the scopes
    /// `openid`.
    /// - Parameters:
    ///   - person: the name or address that the person signs in with.
    ///   - sessionId: the session that it signs in to.
    ///   - show: shows what the message says, so that the person can see that both are one sign-in, and returns at once.
    /// - Returns: who signed in.
    /// - Throws: ``IAMError`` with `authenticationFailed` when the person refuses or is not known,
    ///   `confirmationCodeExpired` when the message is not confirmed in time, and `invalidConfiguration` without `clientId`;
    ///   `CancellationError` when the task is cancelled.
    @discardableResult
    public func signIn(
        byMessageTo person: String, sessionId: String? = nil,
        show: @escaping @Sendable (PendingConfirmation) async throws -> Void = { _ in }
    ) async throws -> User {
        try await performLoading { engine in
            let signIn = MessageSignIn(tokens: try engine.requireTokens(), show: show)
            let credential = try await signIn.credential(of: .login(person), scopes: engine.config.scopes)
            let account = try await engine.begin(credential, for: sessionId)
            return (try? await engine.user(of: account)) ?? User(sub: credential.subject ?? "")
        }
    }
}
