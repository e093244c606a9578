import Foundation
import IdentityKit

/// `POST /revoke` (RFC 7009): a refresh token takes everything of its sign-in with it, an access token only itself.
struct OpenIDRevocation: OpenIDEndpoint {
    func respond(to call: OpenIDCall) throws -> LocalResponse {
        let client = try call.authenticatedClient()
        guard !(client.isPublic && call.behaviour.has(.refusesPublicRevocation)) else {
            throw OpenIDFailure.oauth(
                status: 401, error: "invalid_client", description: "Client authentication is required")
        }
        let text = try call.requiredField("token")
        // What is no token, or no token any more, is as good as revoked.
        guard let owner = call.backend.tokens.owner(of: text) else { return LocalResponse(status: 200) }
        guard owner.clientID == client.id else {
            throw OpenIDFailure.oauth("invalid_request", "The token was issued to another client")
        }
        if owner.isRefreshToken {
            call.backend.revokeFamily(owner.familyID)
        } else {
            call.backend.tokens.revokeAccessToken(text)
        }
        return LocalResponse(status: 200)
    }
}

/// `POST /introspect` (RFC 7662), for clients with credentials.
struct OpenIDIntrospection: OpenIDEndpoint {
    func respond(to call: OpenIDCall) throws -> LocalResponse {
        guard try !call.authenticatedClient().isPublic else {
            throw OpenIDFailure.oauth(
                status: 401, error: "invalid_client", description: "Client authentication is required")
        }
        return .json(members(of: try call.requiredField("token"), call), headers: [("Cache-Control", "no-store")])
    }

    private func members(of text: String, _ call: OpenIDCall) -> JSONValue {
        if let token = call.backend.tokens.accessToken(text) {
            var members = common(token.grant, token.scopes, expiresAt: token.expiresAt, call)
            members["token_type"] = token.grant.keyThumbprint == nil ? "Bearer" : "DPoP"
            members["iat"] = .integer(token.issuedAt.wholeSeconds)
            members["cnf"] = token.grant.keyThumbprint.map { ["jkt": .string($0)] }
            return .object(members)
        }
        if let token = call.backend.tokens.refreshToken(text) {
            return .object(common(token.grant, token.grant.scopes, expiresAt: token.expiresAt, call))
        }
        return ["active": false]
    }

    private func common(
        _ grant: OpenIDGrant, _ scopes: [String], expiresAt: Date, _ call: OpenIDCall
    ) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "active": true, "client_id": .string(grant.clientID), "sub": .string(grant.subject),
            "iss": .string(call.backend.issuer(call.behaviour)), "scope": .string(scopes.joined(separator: " ")),
            "exp": .integer(expiresAt.wholeSeconds),
        ]
        members["username"] = call.backend.user(grant.subject).map { .string($0.username) }
        if !grant.resources.isEmpty { members["aud"] = .array(grant.resources.map(JSONValue.string)) }
        return members
    }
}
