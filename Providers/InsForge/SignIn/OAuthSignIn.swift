import Foundation
import IdentityKit
import IdentityOAuth

/// Signs in on the page of an OAuth provider, and redeems the authorization code with the PKCE code verifier of this
/// sign-in.
struct OAuthSignIn: Sendable {
    let api: InsForgeAPI
    let webAuthenticator: any WebAuthenticator
    let random: RandomSource

    /// Signs in with `provider`. A random `state` is added to the query of the redirect URI against forged callbacks,
    /// unless the project refuses an address with a query.
    /// - Throws: ``InsForgeAuthError``, `RandomnessError`, or what the browser throws, such as `CancellationError` when
    ///   the user closes the page.
    func session(of provider: OAuthProviderKey, redirectTo address: RedirectAddress) async throws -> SessionResponse {
        let verifier = try CodeVerifier(random: random)
        let address = try RedirectAddress(await webAuthenticator.redirectURI(for: address.url))
        let (page, redirectURI) = try await api.authorizationPage(
            for: provider,
            redirectURIs: address.candidates(state: try random.bytes(16).hexEncoded, isAdded: nil),
            codeChallenge: verifier.codeChallenge)
        let url = try await webAuthenticator.authenticate(
            WebAuthenticationRequest(url: page, redirectURI: redirectURI) {
                switch try? InsForgeCallback($0, redirectURI: redirectURI) {
                case .code, .failure: true
                default: false
                }
            })
        switch try InsForgeCallback(url, redirectURI: redirectURI) {
        case .code(let code): return try await api.exchange(code: code, codeVerifier: verifier.secret)
        case .failure(let text): throw InsForgeAuthError.oauth(text)
        default: throw InsForgeAuthError.invalidCallback("it is the result of something else.")
        }
    }
}
