#if canImport(AuthenticationServices) && canImport(Combine)
import AuthenticationServices
import Foundation
import IdentityKit

extension InsForgeAuthState {
    /// Prepares a request of `SignInWithAppleButton`: asks for the name and the e-mail address, and sets a nonce. Call
    /// this function in the button's request closure, because ``signInWithApple(result:)`` needs the nonce.
    /// - Throws: ``InsForgeAuthError/failed(code:message:failureClass:)`` if the system has no random bytes.
    public func prepare(_ request: ASAuthorizationAppleIDRequest) throws {
        request.requestedScopes = [.email, .fullName]
        do {
            request.nonce = try makeAppleNonce().hashed
        } catch {
            throw InsForgeAuthError.documented(error)
        }
    }

    /// Signs in with the result of `SignInWithAppleButton`.
    /// - Throws: ``InsForgeAuthError``, such as ``InsForgeAuthError/cancelled`` if the person cancelled,
    ///   ``InsForgeAuthError/idTokenRefused(_:)`` if Apple returned no token or the server refused it, or
    ///   ``InsForgeAuthError/notConfigured(_:)`` if ``prepare(_:)`` was not called or there is no client; or
    ///   `CancellationError` when the task is cancelled.
    public func signInWithApple(result: Result<ASAuthorization, any Error>) async throws {
        let nonce = takeAppleNonce()
        let authorization: ASAuthorization
        do {
            authorization = try result.get()
        } catch let error as ASAuthorizationError where error.code == .canceled {
            throw InsForgeAuthError.cancelled
        } catch {
            throw InsForgeAuthError.documented(error)
        }
        guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential,
            let token = credential.identityToken
        else { throw InsForgeAuthError.idTokenRefused("Apple returned no token.") }
        guard let nonce else {
            throw InsForgeAuthError.notConfigured(
                "Call prepare(_:) in the request closure of the button: without its nonce the server refuses the token."
            )
        }
        let name = credential.fullName.map { name in
            [name.givenName, name.familyName].compactMap { $0 }.joined(separator: " ")
        }
        try await signIn(
            with: .apple(
                token: Secret(String(decoding: token, as: UTF8.self)), nonce: nonce,
                name: name?.isEmpty == false ? name : nil))
    }
}
#endif
