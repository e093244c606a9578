import Foundation
import IdentityKit

/// Tokens a relying party received, with the ID token verified.
public struct TokenSet: Sendable {
    /// The answer of the token endpoint.
    public let response: TokenEndpointResponse
    /// The verified ID token; `nil` when none came.
    public let idToken: IDToken?
    /// When they arrived, by this machine's clock.
    public let receivedAt: Date

    /// A new session.
    /// - Parameters:
    ///   - backend: the base URL or issuer of the server.
    ///   - clientID: the client the tokens were issued to.
    public func credential(backend: String, clientID: String) -> Credential {
        Credential(
            accessToken: response.accessToken, tokenType: response.tokenType.rawValue,
            refreshToken: response.refreshToken, idToken: idToken?.encoded, scopes: Set(response.scopes ?? []),
            issuedAt: receivedAt, expiresAt: response.expiresAt(receivedAt: receivedAt), signedInAt: receivedAt,
            backend: backend, clientID: clientID)
    }

    /// The session `credential`, renewed with these tokens. What the answer leaves out stays as it was (RFC 6749
    /// section 6).
    public func renewing(_ credential: Credential) -> Credential {
        var renewed = credential
        renewed.accessToken = response.accessToken
        renewed.tokenType = response.tokenType.rawValue
        renewed.refreshToken = response.refreshToken ?? credential.refreshToken
        renewed.idToken = idToken?.encoded ?? credential.idToken
        renewed.scopes = response.scopes.map(Set.init) ?? credential.scopes
        renewed.issuedAt = receivedAt
        renewed.expiresAt = response.expiresAt(receivedAt: receivedAt)
        return renewed
    }
}
