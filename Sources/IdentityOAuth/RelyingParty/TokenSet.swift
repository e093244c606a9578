import Foundation
import IdentityKit

/// Tokens that a relying party received, with the ID token verified.
public struct TokenSet: Sendable {
    package let response: TokenEndpointResponse
    /// The verified ID token; `nil` if the response had none.
    public let idToken: IDToken?
    /// The time of the request by this machine's clock, from which lifetimes count.
    package let sentAt: Date
    /// The time of the response by this machine's clock.
    package let receivedAt: Date
    /// The private key that the access token is bound to (RFC 9449), for a sealed store; `nil` for a bearer token.
    package let proofKey: Secret?
    /// Why an ID token that came with a refresh was dropped; `nil` when none was.
    package let droppedIDToken: (any Error)?
    /// The ID token of a refresh that is not verified yet; `nil` if there is none.
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

    /// A new session.
    /// - Parameters:
    ///   - backend: the base URL or issuer of the server.
    ///   - clientID: the client the tokens were issued to.
    public func credential(backend: String, clientID: String) -> Credential {
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

    /// The session `credential`, refreshed with these tokens. Values that the response leaves out stay as they were
    /// (RFC 6749 section 6).
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
        // The session's end is that of its refresh token, so it changes only with a new one.
        if response.refreshToken != nil { refreshed.sessionEndsAt = response.sessionEndsAt(sentAt: sentAt) }
        return idToken.map { refreshed.identified(by: $0) } ?? refreshed
    }
}

extension Credential {
    /// Adds a new, verified ID token and its claims about the person.
    func identified(by idToken: IDToken) -> Credential {
        var credential = self
        credential.idToken = idToken.encoded
        credential.profile = AccountProfile(claims: idToken.claims).completed(with: profile)
        return credential
    }
}
