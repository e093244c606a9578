import Foundation
import IdentityKit

extension OpenIDCall {
    /// `GET|POST /userinfo`: returns the claims that the token's scopes select, as JSON or as a JWT (OpenID Connect Core
    /// section 5.3).
    func userInfo() throws -> LocalResponse {
        let token = try presentedToken()
        guard token.grantedScopes.contains("openid") else {
            throw OpenIDServerError.challenge(
                status: 403, scheme: "Bearer", error: "insufficient_scope", description: "openid was not granted")
        }
        var claims = backend.claims(ofUser: token.grant.subject, scopes: token.grantedScopes)
        claims["sub"] = .string(token.grant.subject)
        if behaviour.has(.wrongUserInfoSubject) { claims["sub"] = .string(OpenIDBehaviour.foreignSubject) }
        if behaviour.has(.missingUserInfoSubject) { claims["sub"] = nil }
        guard backend.configuration.signsUserInfo || behaviour.signsUserInfo else {
            return .json(.object(claims), headers: [("Cache-Control", "no-store")])
        }
        return try signed(claims, for: token.grant.clientID)
    }

    private func signed(_ claims: [String: JSONValue], for clientID: String) throws -> LocalResponse {
        var claims = claims
        claims["iss"] = .string(backend.issuer(behaviour))
        claims["aud"] = .string(clientID)
        if behaviour.has(.wrongUserInfoIssuer) { claims["iss"] = .string(OpenIDBehaviour.foreignIssuer) }
        if behaviour.has(.wrongUserInfoAudience) { claims["aud"] = .string(OpenIDBehaviour.foreignClient) }
        var draft = try OpenIDTokenDraft(claims, ring: backend.keyRing, behaviour)
        if behaviour.has(.badUserInfoSignature) { draft.signature = .damaged }
        if behaviour.has(.unsignedUserInfo) {
            draft.header["alg"] = "none"
            draft.signature = .none
        }
        return LocalResponse(
            status: 200, headers: [("Content-Type", "application/jwt"), ("Cache-Control", "no-store")],
            body: Data(try draft.compact().utf8))
    }

    /// `GET /api/resource`: a stand-in for an API that requires an access token (RFC 6750 section 3, RFC 9449 section 7).
    func demoResource() throws -> LocalResponse {
        let token = try presentedToken()
        let name = backend.user(token.grant.subject)?.username ?? token.grant.subject
        return .json([
            "message": .string("Hello, \(name)."), "subject": .string(token.grant.subject),
            "scope": .string(token.grantedScopes.joined(separator: " ")),
        ])
    }
}

extension OpenIDCall {
    /// Returns the access token in `Authorization`, after checking that it is valid. A token bound to a key needs a DPoP proof
    /// of this key.
    /// - Throws: ``OpenIDServerError`` for a missing or invalid token or proof.
    func presentedToken() throws -> OpenIDTokenRegistry.Token {
        let parts = (request.header("Authorization") ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, ["bearer", "dpop"].contains(parts[0].lowercased()) else {
            throw OpenIDServerError.challenge(status: 401, scheme: "Bearer", error: nil, description: "")
        }
        let isBound = parts[0].lowercased() == "dpop"
        let scheme = isBound ? "DPoP" : "Bearer"
        guard let token = backend.tokens.accessToken(parts[1]) else {
            throw OpenIDServerError.challenge(
                status: 401, scheme: scheme, error: "invalid_token",
                description: "The access token is unknown, too old or revoked")
        }
        // A bound token must not be accepted as a bearer token (RFC 9449 section 7.2).
        let key = isBound ? try provenKey(accessToken: parts[1]) : nil
        guard token.grant.keyThumbprint == key, isBound == (key != nil) else {
            throw OpenIDServerError.challenge(
                status: 401, scheme: "DPoP", error: "invalid_token",
                description: "The access token is bound to another key, or has no proof")
        }
        return token
    }
}
