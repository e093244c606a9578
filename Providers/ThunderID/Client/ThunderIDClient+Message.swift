import Foundation
import IdentityKit

extension ThunderIDClient {
    /// Signs in without a page or a form. The server sends a message to the person, who confirms it on another device.
    /// The server must support CIBA, as ThunderID does since June 2026. The application needs the grant
    /// `urn:openid:params:grant-type:ciba` and the scope `openid`.
    /// - Parameters:
    ///   - person: the name or address that the person signs in with.
    ///   - sessionId: the session to sign in to; `nil` for the session without a name.
    ///   - show: shows the text of the message, so that the person recognizes the message on the other device. The function
    ///     must return at once. The text should stay on the screen until the message expires.
    /// - Returns: the user; with only the identifier if the server cannot describe the user now.
    /// - Throws: ``IAMError`` with `authenticationFailed` if the person refuses or is unknown,
    ///   `confirmationCodeExpired` if the person does not confirm the message in time, `invalidConfiguration` if
    ///   `clientId` is missing or the application lacks the grant, or the code for another failure; or
    ///   `CancellationError` when the task is cancelled.
    @discardableResult
    public func signIn(
        byMessageTo person: String, sessionId: String? = nil,
        show: @escaping @Sendable (_ bindingMessage: String, _ expiresAt: Date) async throws -> Void = { _, _ in }
    ) async throws -> User {
        try await performLoading { engine in
            let signIn = MessageSignIn(tokens: try engine.requireTokens()) { try await show($1, $2) }
            let start = engine.names.now(sessionId)
            let credential = try await signIn.credential(of: .login(person), scopes: engine.config.scopes)
            let account = try await engine.begin(credential, for: sessionId, since: start)
            return (try? await engine.user(of: account)) ?? User(sub: credential.subject ?? "")
        }
    }
}
