import Foundation
import IdentityKit

/// Proving an address, and signing in without a password.
extension InsForgeAuthClient {
    /// Verifies an address with the code from the mail. The answer is a session: the user is signed in.
    /// - Throws: ``InsForgeAuthError``, ``/IdentityKit/TokenStoreError``.
    @discardableResult
    public func verifyEmail(email: String, code: String) async throws -> AuthResponse {
        let start = startSignIn()
        let answer = try await project().api.verifyEmail(email: email, code: Secret(code))
        try await begin(answer, since: start)
        return AuthResponse(answer)
    }

    /// Sends another verification mail; the code or link before it stops working. The answer is the same for an unknown
    /// address. Right after a sign-up this may be refused for a minute, with ``InsForgeAuthError/rateLimited(retryAfter:)``.
    /// - Parameters:
    ///   - email: the address.
    ///   - redirectTo: where a link in the mail leads in the end; needed when the project verifies by link.
    /// - Throws: ``InsForgeAuthError``, ``/IdentityKit/TokenStoreError``.
    public func resendVerificationEmail(email: String, redirectTo: String? = nil) async throws {
        let address = try redirectTo.map { try RedirectAddress($0) }
        try await project().api.sendVerification(email: email, redirectTo: address?.url.absoluteString)
        try expectMail(.verifyEmail, at: address)
    }

    /// Mails a code to sign in with, good for five minutes. The answer is the same for an unknown address.
    /// - Throws: ``InsForgeAuthError``, ``/IdentityKit/TokenStoreError``.
    public func sendSignInCode(email: String) async throws {
        try await project().api.sendSignInCode(email: email)
    }

    /// Signs in with a mailed code.
    ///
    /// An unknown address gets an account. An address that was never verified loses its password, which somebody else may
    /// have chosen.
    /// - Parameters:
    ///   - email: the address.
    ///   - code: the code.
    ///   - name: the display name of a new account.
    /// - Throws: ``InsForgeAuthError``, ``/IdentityKit/TokenStoreError``.
    @discardableResult
    public func signIn(email: String, code: String, name: String? = nil) async throws -> AuthResponse {
        let start = startSignIn()
        let answer = try await project().api.signIn(email: email, code: Secret(code), name: name)
        try await begin(answer, since: start)
        return AuthResponse(answer)
    }

    /// Signs in with a token that Apple or Google gave the app.
    /// - Throws: ``InsForgeAuthError``, ``/IdentityKit/TokenStoreError``.
    @discardableResult
    public func signIn(with idToken: IDTokenSignIn) async throws -> AuthResponse {
        let start = startSignIn()
        let answer = try await project().api.signIn(with: idToken)
        try await begin(answer, since: start)
        return AuthResponse(answer)
    }

    /// Waits for a mailed link to be opened, if there is one.
    func expectMail(_ kind: PendingFlow.Kind, at address: RedirectAddress?) throws {
        guard let address else { return }
        let project = try project()
        // A mail asked for again is waited for at the same address: one record is enough.
        let name = "\(kind.rawValue) \(project.engine.backend) \(address.url.absoluteString)"
        project.flows.remember(
            PendingFlow(
                kind, backend: project.engine.backend, redirectURI: address.url,
                id: sha256(Data(name.utf8)).prefix(16).hexEncoded, at: options.time.now))
    }
}
