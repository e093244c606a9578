import Foundation
import IdentityKit
import OAuthKit

/// The OAuth view of a provider: fetch the page, let the user sign in there, redeem the code with this flow's verifier.
/// The flow lives as long as the page, so nothing has to be remembered.
struct OAuthSignIn: Sendable {
    let api: InsForgeAPI
    let webAuthenticator: any WebAuthenticator
    let random: RandomSource

    /// Signs in with `provider`.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError` when the user closes the page.
    func signIn(with provider: OAuthProviderKey, redirectURI: URL) async throws -> SessionAnswer {
        let verifier = try CodeVerifier(random: random)
        let page = try await api.authorizationURL(
            for: provider, redirectURI: redirectURI, codeChallenge: verifier.codeChallenge)
        let url = try await webAuthenticator.authenticate(at: page, redirectURI: redirectURI)
        switch try InsForgeCallback(url, redirectURI: redirectURI) {
        case .code(let code): return try await api.exchange(code: code, codeVerifier: verifier.secret)
        case .failure(let text): throw InsForgeAuthError.oauth(text)
        default: throw InsForgeAuthError.invalidCallback("it is the result of something else.")
        }
    }
}
