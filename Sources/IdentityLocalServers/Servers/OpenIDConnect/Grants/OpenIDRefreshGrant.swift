import Foundation
import IdentityKit

extension OpenIDCall {
    /// `refresh_token`: exchanges a refresh token for new tokens (RFC 6749 section 6, OpenID Connect Core section 12).
    func refreshGrant(of client: LocalOpenIDConnectServer.Client, key: String?) throws -> OpenIDTokens {
        let text = try requiredField("refresh_token")
        // Check the scopes, the key and the resource before the exchange, so that a request that fails these checks does not
        // spend the token. A refresh token of another client counts as unknown.
        let grant = backend.tokens.refreshToken(text).flatMap { $0.grant.clientID == client.id ? $0.grant : nil }
        let scopes = try grant.flatMap { try narrowed($0, key, client) }
        let audience = try namedResource(of: grant)
        let rotates = backend.configuration.rotatesRefreshTokens && !behaviour.has(.noNewRefreshToken)
        switch backend.tokens.exchange(text, clientID: client.id, spending: rotates) {
        case .granted(let token):
            backend.counters.withLock { $0.refreshes += 1 }
            return OpenIDTokens(
                grant: token.grant.bound(to: key), scopes: scopes,
                refresh: rotates ? .successor(expiry: token.expiresAt) : .none, audience: audience, isRefreshed: true)
        case .replayed(let familyID):
            backend.noteReplay(ofFamily: familyID)
            throw refreshRefusal("The refresh token was used before")
        case .unknown:
            throw refreshRefusal("The refresh token is unknown, too old or revoked")
        }
    }

    /// Returns the error for a refresh token that is spent, unknown, expired or revoked: `invalid_grant` with the status 400,
    /// unless a variation such as `deadRefreshTokenIsUnauthorized` selects another error.
    private func refreshRefusal(_ description: String) -> OpenIDServerError {
        if behaviour.has(.deadRefreshTokenIsUnauthorized) { return .empty(status: 401) }
        if behaviour.has(.deadRefreshTokenIsServerError) {
            return .oauth(status: 500, error: "invalid_grant", description: description)
        }
        let isInvalidRequest = behaviour.has(.deadRefreshTokenIsInvalidRequest)
        return .oauth(isInvalidRequest ? "invalid_request" : "invalid_grant", description)
    }

    private func narrowed(
        _ grant: OpenIDGrant, _ key: String?, _ client: LocalOpenIDConnectServer.Client
    ) throws -> [String]? {
        // A public client must prove possession of the key that its refresh token is bound to (RFC 9449 section 5).
        guard !client.isPublic || grant.keyThumbprint == nil || grant.keyThumbprint == key else {
            throw OpenIDServerError.oauth("invalid_dpop_proof", "The refresh token is bound to another key")
        }
        let requested = try requestedScopes()
        guard requested.allSatisfy(grant.scopes.contains) else {
            throw OpenIDServerError.oauth("invalid_scope", "The scope exceeds what was granted")
        }
        return requested.isEmpty ? nil : requested
    }
}
