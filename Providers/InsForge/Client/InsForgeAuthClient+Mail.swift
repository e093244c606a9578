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
            try await expectMail(.verifyEmail, at: address) {
                try await project.api.sendVerification(email: email, redirectTo: address?.url.absoluteString)
            }
        }
    }

    /// Mails a sign-in code that is valid for five minutes. The response is the same for an unknown address.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    public func sendSignInCode(email: String) async throws {
        try await perform { try await $0.api.sendSignInCode(email: email) }
    }

    /// Signs in with the code that ``sendSignInCode(email:)`` mailed.
    ///
    /// An unknown address gets an account if the project accepts new users. An account whose address was never verified
    /// loses its password, because another person may have set it.
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

    /// Sends a request for a mail whose link leads to `address`. Before the request, stores a pending flow, so that
    /// ``handleAuthCallback(_:)`` recognizes the link's callback even if the response is lost. If the server sent no mail, the
    /// flow is removed again, unless it was stored for an earlier mail. If `address` is `nil`, only the request is sent.
    /// - Parameter isUnneeded: returns `true` if the result shows that the server sent no mail, such as the result of a sign-up
    ///   that opened a session.
    /// - Throws: the error of `request`.
    func expectMail<Value>(
        _ kind: PendingFlow.Kind, at address: RedirectAddress?, unless isUnneeded: (Value) -> Bool = { _ in false },
        _ request: () async throws -> Value
    ) async throws -> Value {
        guard let address else { return try await request() }
        let project = try project()
        // Derive the identifier from the kind, the server and the redirect URI, so that repeated mails share one stored flow.
        let name = "\(kind.rawValue) \(project.engine.backend) \(address.url.absoluteString)"
        let flow = PendingFlow(
            kind, backend: project.engine.backend, redirectURI: address.url,
            id: sha256(Data(name.utf8)).prefix(16).hexEncoded, at: options.time.now)
        let isFirst = (try? await project.flows.waiting())?.contains { $0.id == flow.id } == false
        await project.flows.keep(flow)
        do {
            let value = try await request()
            if isFirst, isUnneeded(value) { _ = try? await project.flows.take(flow.id) }
            return value
        } catch {
            // After a transient failure, such as a lost response, a mail may be under way.
            if isFirst, error.identityFailureClass != .transient { _ = try? await project.flows.take(flow.id) }
            throw error
        }
    }
}
