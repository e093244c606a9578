import Foundation
import IdentityKit

/// The tokens of one response of the token endpoint, with the times of its request and response.
package struct TokenSet: Sendable {
    package let response: TokenEndpointResponse
    /// The verified ID token; `nil` if the response had none, or if the ID token was dropped or is not verified yet.
    package let idToken: IDToken?
    /// The time of the request by this machine's clock. Lifetimes in the response are counted from this time.
    package let sentAt: Date
    /// The time at which the response arrived, by this machine's clock.
    package let receivedAt: Date
    /// The private key that the access token is bound to (RFC 9449), as a JWK; `nil` unless the response has the token
    /// type `DPoP`. Keep it only in a store that encrypts its content.
    package let proofKey: Secret?
    /// The reason why the ID token of a refresh was dropped; `nil` if no ID token was dropped.
    package let droppedIDToken: (any Error)?
    /// The ID token of a refresh while it is not verified; `nil` if there is none.
    let pendingVerification: PendingVerification?

    init(
        response: TokenEndpointResponse, idToken: IDToken?, sentAt: Date, receivedAt: Date, proofKey: Secret?,
        droppedIDToken: (any Error)? = nil, pendingVerification: PendingVerification? = nil
    ) {
        self.response = response
        self.idToken = idToken
        self.sentAt = sentAt
        self.receivedAt = receivedAt
        self.proofKey = proofKey
        self.droppedIDToken = droppedIDToken
        self.pendingVerification = pendingVerification
    }

    /// Creates the credential of a new session, which began when the response arrived.
    /// - Parameters:
    ///   - backend: the base URL or issuer of the server.
    ///   - clientID: the identifier of the client that the tokens were issued to.
    package func credential(backend: String, clientID: String) -> Credential {
        var credential = Credential(
            accessToken: response.accessToken, tokenType: (response.tokenType ?? .bearer).rawValue,
            refreshToken: response.refreshToken, idToken: idToken?.encoded, scopes: (response.scopes ?? []).withAliases,
            issuedAt: receivedAt, expiresAt: response.expiresAt(sentAt: sentAt), signedInAt: receivedAt,
            sessionEndsAt: response.sessionEndsAt(sentAt: sentAt), backend: backend, clientID: clientID,
            profile: idToken.flatMap { AccountProfile(claims: $0.claims) })
        credential.proofKey = proofKey
        credential.keep(response.details)
        return credential
    }

    /// Returns the session `credential` with these tokens. The refresh token, token type, key, scopes and ID token stay as
    /// they were if the response leaves them out (RFC 6749 section 6). The expiry is always that of the new access token,
    /// and unknown if the response has none.
    package func refreshing(_ credential: Credential) -> Credential {
        var refreshed = credential
        refreshed.accessToken = response.accessToken
        refreshed.tokenType = response.tokenType?.rawValue ?? credential.tokenType
        refreshed.refreshToken = response.refreshToken ?? credential.refreshToken
        refreshed.proofKey = proofKey ?? credential.proofKey
        refreshed.keep(response.details)
        refreshed.pendingVerification = pendingVerification
        refreshed.scopes = response.scopes?.withAliases ?? credential.scopes
        refreshed.issuedAt = receivedAt
        refreshed.expiresAt = response.expiresAt(sentAt: sentAt)
        // The session ends with its refresh token, so its end changes only with a new refresh token.
        if response.refreshToken != nil { refreshed.sessionEndsAt = response.sessionEndsAt(sentAt: sentAt) }
        return idToken.map { refreshed.identified(by: $0) } ?? refreshed
    }
}

extension Credential {
    /// Returns a copy with a new, verified ID token. The profile in its claims is completed with the stored profile.
    func identified(by idToken: IDToken) -> Credential {
        var credential = self
        credential.idToken = idToken.encoded
        credential.profile = AccountProfile(claims: idToken.claims).completed(with: profile)
        return credential
    }
}
