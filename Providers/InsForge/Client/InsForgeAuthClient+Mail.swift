import Foundation
import IdentityKit

/// Verification of an e-mail address, and sign-in without a password.
extension InsForgeAuthClient {
    /// Verifies an address with the code from the mail, and signs the user in.
    /// - Throws: ``InsForgeAuthError``.
    @discardableResult
    public func verifyEmail(email: String, code: String) async throws -> AuthResponse {
        try await perform { _ in
            AuthResponse(try await openSession { try await $0.verifyEmail(email: email, code: Secret(code)) })
        }
    }

    /// Sends another verification mail; the earlier code or link stops working. The response is the same for an unknown
    /// address. For a minute after a sign-up the server may return ``InsForgeAuthError/rateLimited(retryAfter:)``.
    /// - Parameters:
    ///   - email: the address.
    ///   - redirectTo: the target of a link in the mail; required if the project verifies by link.
    /// - Throws: ``InsForgeAuthError``.
    public func resendVerificationEmail(email: String, redirectTo: String? = nil) async throws {
        try await perform { project in
            let address = try redirectTo.map { try RedirectAddress($0) }
            try await project.api.sendVerification(email: email, redirectTo: address?.url.absoluteString)
            try await expectMail(.verifyEmail, at: address)
        }
    }

    /// Mails a sign-in code that is valid for five minutes. The response is the same for an unknown address.
    /// - Throws: ``InsForgeAuthError``.
    public func sendSignInCode(email: String) async throws {
        try await perform { try await $0.api.sendSignInCode(email: email) }
    }

    /// Signs in with a mailed code.
    ///
    /// An unknown address gets an account. An account whose address was never verified loses its password, because another
    /// person may have set it.
    /// - Parameters:
    ///   - email: the address.
    ///   - code: the code.
    ///   - name: the display name of a new account.
    /// - Throws: ``InsForgeAuthError``.
    @discardableResult
    public func signIn(email: String, code: String, name: String? = nil) async throws -> AuthResponse {
        try await perform { _ in
            AuthResponse(
                try await openSession { try await $0.createSession(email: email, code: Secret(code), name: name) })
        }
    }

    /// Signs in with a token that Apple or Google gave the app.
    /// - Throws: ``InsForgeAuthError``.
    @discardableResult
    public func signIn(with idToken: IDTokenSignIn) async throws -> AuthResponse {
        try await perform { _ in AuthResponse(try await openSession { try await $0.createSession(with: idToken) }) }
    }

    /// Records that a mailed link to `address` may be opened.
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
