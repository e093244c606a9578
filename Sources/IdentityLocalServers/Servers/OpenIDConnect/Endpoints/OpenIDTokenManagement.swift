import Foundation
import IdentityKit

extension OpenIDCall {
    /// `POST /revoke`: revokes an access token or, for a refresh token, all tokens of its sign-in (RFC 7009).
    func revoke() throws -> LocalResponse {
        let client = try authenticatedClient()
        guard !(client.isPublic && behaviour.has(.refusesPublicRevocation)) else {
            throw OpenIDServerError.clientAuthenticationRequired
        }
        let text = try requiredField("token")
        // An unknown token is not an error (RFC 7009 section 2.2).
        guard let owner = backend.tokens.owner(of: text) else { return LocalResponse(status: 200) }
        guard owner.clientID == client.id else {
            throw OpenIDServerError.oauth("invalid_request", "The token was issued to another client")
        }
        if owner.isRefreshToken {
            backend.revokeFamily(owner.familyID, because: "the client revoked it")
        } else {
            backend.tokens.revokeAccessToken(text)
        }
        return LocalResponse(status: 200)
    }

    /// `POST /introspect`: describes an access or refresh token, even of another client (RFC 7662). A request by a public
    /// client is refused.
    func introspect() throws -> LocalResponse {
        guard try !authenticatedClient().isPublic else { throw OpenIDServerError.clientAuthenticationRequired }
        return .json(members(of: try requiredField("token")), headers: [("Cache-Control", "no-store")])
    }

    private func members(of text: String) -> JSONValue {
        if let token = backend.tokens.accessToken(text) {
            var members = common(token)
            members["token_type"] = token.grant.keyThumbprint == nil ? "Bearer" : "DPoP"
            members["iat"] = .integer(token.issuedAt.wholeSeconds)
            members["cnf"] = token.grant.keyThumbprint.map { ["jkt": .string($0)] }
            return .object(members)
        }
        if let token = backend.tokens.refreshToken(text) { return .object(common(token)) }
        return ["active": false]
    }

    private func common(_ token: OpenIDTokenRegistry.Token) -> [String: JSONValue] {
        let grant = token.grant
        var members: [String: JSONValue] = [
            "active": true, "client_id": .string(grant.clientID), "sub": .string(grant.subject),
            "iss": .string(backend.issuer(behaviour)), "scope": .string(token.grantedScopes.joined(separator: " ")),
            "exp": .integer(token.expiresAt.wholeSeconds),
        ]
        members["username"] = backend.user(grant.subject).map { .string($0.username) }
        if let audience = token.audience {
            members["aud"] = .string(audience)
        } else if !grant.resources.isEmpty {
            members["aud"] = .array(grant.resources.map(JSONValue.string))
        }
        return members
    }
}
