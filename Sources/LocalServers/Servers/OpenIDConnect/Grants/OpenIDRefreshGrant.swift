import Foundation
import IdentityKit

/// `refresh_token` (RFC 6749 section 6, OpenID Connect Core section 12)
struct OpenIDRefreshGrant: OpenIDGrantHandler {
    func tokens(
        for client: LocalOpenIDConnectServer.Client, key: String?, _ call: OpenIDCall
    ) throws -> OpenIDTokens {
        let text = try call.requiredField("refresh_token")
        // A request that is refused for another reason leaves the token as it was.
        let scopes = try call.backend.tokens.refreshToken(text).flatMap { try narrowed($0.grant, key, client, call) }
        let rotates = call.backend.configuration.rotatesRefreshTokens && !call.behaviour.has(.noNewRefreshToken)
        switch call.backend.tokens.exchange(text, clientID: client.id, spending: rotates) {
        case .granted(let token):
            call.backend.counters.withLock { $0.refreshes += 1 }
            return OpenIDTokens(
                grant: token.grant.bound(to: key), scopes: scopes,
                refresh: rotates ? .successor(expiry: token.expiresAt) : .none, isRefreshed: true)
        case .replayed(let familyID):
            call.backend.noteReplay(ofFamily: familyID)
            throw refusal("The refresh token was used before", call.behaviour)
        case .unknown:
            throw refusal("The refresh token is unknown, too old or revoked", call.behaviour)
        }
    }

    /// What servers make of a dead refresh token.
    private func refusal(_ description: String, _ behaviour: OpenIDBehaviour) -> OpenIDFailure {
        if behaviour.has(.deadRefreshTokenIsUnauthorized) { return .empty(status: 401) }
        if behaviour.has(.deadRefreshTokenIsServerError) {
            return .oauth(status: 500, error: "invalid_grant", description: description)
        }
        let isInvalidRequest = behaviour.has(.deadRefreshTokenIsInvalidRequest)
        return .oauth(isInvalidRequest ? "invalid_request" : "invalid_grant", description)
    }

    /// The scopes asked for, when there are any.
    private func narrowed(
        _ grant: OpenIDGrant, _ key: String?, _ client: LocalOpenIDConnectServer.Client, _ call: OpenIDCall
    ) throws -> [String]? {
        // The refresh tokens of public clients are bound to their key (RFC 9449 section 5).
        guard !client.isPublic || grant.keyThumbprint == nil || grant.keyThumbprint == key else {
            throw OpenIDFailure.oauth("invalid_dpop_proof", "The refresh token is bound to another key")
        }
        let requested = try call.requestedScopes()
        guard requested.allSatisfy(grant.scopes.contains) else {
            throw OpenIDFailure.oauth("invalid_scope", "The scope exceeds what was granted")
        }
        return requested.isEmpty ? nil : requested
    }
}
