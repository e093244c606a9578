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
        let address = try RedirectAddress(await webAuthenticator.redirectURI(for: redirectURI))
        let (page, returnURI) = try await open(provider, at: address, verifier)
        let url = try await webAuthenticator.authenticate(
            WebAuthenticationRequest(url: page, redirectURI: returnURI) {
                switch try? InsForgeCallback($0, redirectURI: returnURI) {
                case .code, .failure: true
                default: false
                }
            })
        // The state is for a listener that others can reach. What binds the code to this flow is the verifier.
        switch try InsForgeCallback(url, redirectURI: address.url) {
        case .code(let code): return try await api.exchange(code: code, codeVerifier: verifier.secret)
        case .failure(let text): throw InsForgeAuthError.oauth(text)
        default: throw InsForgeAuthError.invalidCallback("it is the result of something else.")
        }
    }

    /// The page, and the address it returns to: with a `state` of this flow's own, by which its response is known, where
    /// the server keeps that (contract 2.5).
    private func open(
        _ provider: OAuthProviderKey, at address: RedirectAddress, _ verifier: CodeVerifier
    ) async throws -> (page: URL, redirectURI: URL) {
        func page(_ redirectURI: URL) async throws -> (URL, URL) {
            let challenge = verifier.codeChallenge
            return (
                try await api.authorizationURL(for: provider, redirectURI: redirectURI, codeChallenge: challenge),
                redirectURI
            )
        }
        // One of the app's own comes back as well, and there can be only one.
        guard (try? CallbackURL(address.url))?["state"] == nil else { return try await page(address.url) }
        do {
            return try await page(address.with(state: try random.bytes(16).hexEncoded))
        } catch InsForgeAuthError.invalidInput {
            // An allow list of whole addresses has none with a state (contract 2.6).
            return try await page(address.url)
        }
    }
}
