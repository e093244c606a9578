import Foundation
import IdentityKit

/// Verification of an e-mail address, and sign-in without a password.
extension InsForgeAuthClient {
    /// Verifies an address with the code from the verification mail, and signs the user in.
    /// - Throws: ``InsForgeAuthError``, such as ``InsForgeAuthError/invalidCode(_:)``; or `CancellationError`.
    @discardableResult
    public func verifyEmail(email: String, code: String) async throws -> AuthResponse {
        try await perform { _ in
            AuthResponse(try await openSession { try await $0.verifyEmail(email: email, code: Secret(code)) })
        }
    }

    /// Sends another verification mail; the earlier code or link stops working. The response is the same for an unknown
    /// address. For a minute after a sign-up, the server may refuse with
    /// ``InsForgeAuthError/rateLimited(retryAfter:)``.
    /// - Parameters:
    ///   - email: the address to verify.
    ///   - redirectTo: the app's address to which the link in the mail leads; required if the project verifies by link.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    public func resendVerificationEmail(email: String, redirectTo: String? = nil) async throws {
        try await perform { project in
            let address = try redirectTo.map { try RedirectAddress($0) }
            try await project.api.sendVerification(email: email, redirectTo: address?.url.absoluteString)
            try await expectMail(.verifyEmail, at: address)
        }
    }

    /// Mails a sign-in code that is valid for five minutes. The response is the same for an unknown address.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    public func sendSignInCode(email: String) async throws {
        try await perform { try await $0.api.sendSignInCode(email: email) }
    }

    /// Signs in with the code that ``sendSignInCode(email:)`` mailed.
    ///
    /// An unknown address gets an account. An account whose address was never verified loses its password, because
    /// another person may have set it.
    /// - Parameters:
    ///   - email: the address to which the code was mailed.
    ///   - code: the code from the mail.
    ///   - name: the display name of a new account.
    /// - Throws: ``InsForgeAuthError``, such as ``InsForgeAuthError/invalidCode(_:)``; or `CancellationError`.
    @discardableResult
    public func signIn(email: String, code: String, name: String? = nil) async throws -> AuthResponse {
        try await perform { _ in
            AuthResponse(
                try await openSession { try await $0.createSession(email: email, code: Secret(code), name: name) })
        }
    }

    /// Signs in with an ID token that Apple or Google issued to the app.
    /// - Throws: ``InsForgeAuthError``, such as ``InsForgeAuthError/idTokenRefused(_:)``; or `CancellationError`.
    @discardableResult
    public func signIn(with idToken: IDTokenSignIn) async throws -> AuthResponse {
        try await perform { _ in AuthResponse(try await openSession { try await $0.createSession(with: idToken) }) }
    }

    /// Stores a pending flow, so that ``handleAuthCallback(_:)`` recognizes the callback of a mailed link to `address`.
    /// Does nothing without an address.
    func expectMail(_ kind: PendingFlow.Kind, at address: RedirectAddress?) async throws {
        guard let address else { return }
        let project = try project()
        // Repeated mails share an identifier, so that only one record is stored.
        let name = "\(kind.rawValue) \(project.engine.backend) \(address.url.absoluteString)"
        await project.flows.keep(
            PendingFlow(
                kind, backend: project.engine.backend, redirectURI: address.url,
                id: sha256(Data(name.utf8)).prefix(16).hexEncoded, at: options.time.now))
    }
}
