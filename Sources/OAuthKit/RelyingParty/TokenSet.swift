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
    /// Why an ID token that came with a refresh was dropped; `nil` when none was.
    public let droppedIDToken: (any Error)?

    init(
        response: TokenEndpointResponse, idToken: IDToken?, receivedAt: Date, droppedIDToken: (any Error)? = nil
    ) {
        self.response = response
        self.idToken = idToken
        self.receivedAt = receivedAt
        self.droppedIDToken = droppedIDToken
    }

    /// A new session.
    /// - Parameters:
    ///   - backend: the base URL or issuer of the server.
    ///   - clientID: the client the tokens were issued to.
    public func credential(backend: String, clientID: String) -> Credential {
        Credential(
            accessToken: response.accessToken, tokenType: response.tokenType.rawValue,
            refreshToken: response.refreshToken, idToken: idToken?.encoded, scopes: (response.scopes ?? []).withAliases,
            issuedAt: receivedAt, expiresAt: response.expiresAt(receivedAt: receivedAt), signedInAt: receivedAt,
            backend: backend, clientID: clientID, profile: idToken.flatMap { AccountProfile(claims: $0.claims) })
    }

    /// The session `credential`, renewed with these tokens. What the answer leaves out stays as it was (RFC 6749
    /// section 6).
    public func renewing(_ credential: Credential) -> Credential {
        var renewed = credential
        renewed.accessToken = response.accessToken
        renewed.tokenType = response.tokenType.rawValue
        renewed.refreshToken = response.refreshToken ?? credential.refreshToken
        renewed.idToken = idToken?.encoded ?? credential.idToken
        renewed.scopes = response.scopes?.withAliases ?? credential.scopes
        renewed.issuedAt = receivedAt
        renewed.expiresAt = response.expiresAt(receivedAt: receivedAt)
        let profile = idToken.flatMap { AccountProfile(claims: $0.claims) }
        renewed.profile = profile.completed(with: credential.profile)
        return renewed
    }
}
