import IdentityKit

extension ThunderIDClient {
    /// Signs in without a page or a form, at a server that supports CIBA (since June 2026): the server sends a message
    /// to the person, who confirms it on another device. The application needs the grant
    /// `urn:openid:params:grant-type:ciba` and the scope `openid`.
    /// - Parameters:
    ///   - person: the name or address that the person signs in with.
    ///   - sessionId: the session to sign in to.
    ///   - show: shows the text of the message, so that the person can compare the two, and returns at once.
    /// - Returns: the user.
    /// - Throws: ``IAMError`` with `authenticationFailed` if the person refuses or is unknown,
    ///   `confirmationCodeExpired` if the message is not confirmed in time, and `invalidConfiguration` without
    ///   `clientId`; `CancellationError` when the task is cancelled.
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
