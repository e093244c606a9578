import Foundation
import IdentityKit
import OAuthKit

/// The OAuth view: fetch the provider's page, let the user sign in there, redeem the code with this flow's verifier.
struct OAuthSignIn: Sendable {
    let api: InsForgeAPI
    let webAuthenticator: any WebAuthenticator
    let random: RandomSource

    /// Signs in with `provider`.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError` when the user closes the page.
    func signIn(with provider: OAuthProvider, redirectURI: URL) async throws -> SessionAnswer {
        let verifier = try CodeVerifier(random: random)
        let page = try await api.authorizationURL(
            for: provider, redirectURI: redirectURI, codeChallenge: verifier.codeChallenge)
        let url = try await webAuthenticator.authenticate(at: page, redirectURI: redirectURI)
        switch try InsForgeCallback(url, redirectURI: redirectURI) {
        case .code(let code): return try await api.exchange(code: code, codeVerifier: verifier.secret)
        case .failure(let text): throw InsForgeAuthError.oauth(text)
        }
    }
}
