import Foundation
import IdentityKit
import IdentityOAuth

/// Checks an access token before it becomes a session: its subject is the user, and it is signed with a key that the server
/// publishes (contract 1.1).
///
/// Servers before June 2026, and those without a key pair, sign with a secret of their own (`HS256`), which only they can
/// verify. Such a token is accepted because it comes in the server's own response over TLS.
struct AccessTokenVerifier: Sendable {
    private let keys: JWKSCache

    init(baseURL: ServerURL, transport: any HTTPTransport, time: TimeSource) {
        keys = JWKSCache(
            jwksURI: baseURL.appending("api/.well-known/jwks.json"), transport: transport,
            // The base URL was checked before.
            transportSecurity: baseURL.url.scheme == "http" ? .loopbackHTTPAllowed : .httpsOnly, time: time)
    }

    /// Passes when `token` belongs to the user.
    /// - Throws: ``InsForgeAuthError``.
    func verify(_ token: Secret, of userID: String) async throws {
        guard let parsed = try? JSONWebToken(token) else { throw InsForgeAuthError.unreadableResponse(status: 200) }
        guard parsed.subject.hasBytes(of: userID) else {
            throw InsForgeAuthError.untrustedToken("The server's access token is another user's.")
        }
        // The server accepts its own refresh tokens as access tokens (contract 1.1).
        guard parsed.claims["type"]?.stringValue != "refresh" else {
            throw InsForgeAuthError.untrustedToken("It is a refresh token.")
        }
        guard parsed.algorithm != "HS256" else { return }
        do {
            try await keys.verify(parsed.message, by: SignatureVerifier(allowing: [.rs256]))
        } catch let error as TransportError {
            throw InsForgeAuthError.networkError(error)
        } catch let error as OAuthError {
            throw InsForgeAuthError.untrustedToken(error.message)
        }
    }
}
