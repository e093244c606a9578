import Foundation
import IdentityKit

extension ThunderIDCall {
    /// `POST /oauth2/revoke`: revokes all tokens of the token's family, which are those of one sign-in, or only the token
    /// itself if it belongs to no family (RFC 7009).
    func revoke() throws -> LocalResponse {
        let application = try authenticatedClient()
        let text = try required("token", "Token is required")
        // An unknown or expired token counts as revoked.
        guard let token = backend.tokens.unexpired(text) else { return LocalResponse(status: 200) }
        guard token.clientID == application.clientID else {
            throw ThunderIDServerError.oauth("invalid_grant", "The token was issued to another client")
        }
        if let familyID = token.familyID {
            backend.revokeFamily(familyID, because: "the client revoked it")
        } else {
            backend.families.revokeToken(token.id)
        }
        return LocalResponse(status: 200)
    }

    /// `POST /oauth2/introspect`: returns the claims of an active access token or refresh token (RFC 7662). ID tokens and
    /// assertions are never active.
    func introspect() throws -> LocalResponse {
        _ = try authenticatedClient()
        let text = try required("token", "Token is required")
        guard let token = backend.tokens.good(text), token.isAccessToken || token.isRefreshToken,
            !isSpent(token)
        else { return .json(["active": false]) }
        var members: [String: JSONValue] = ["active": true, "token_type": token["cnf"] == nil ? "Bearer" : "DPoP"]
        for claim in ["scope", "client_id", "username", "sub", "aud", "iss", "jti", "exp", "iat", "nbf", "cnf"] {
            members[claim] = token[claim]
        }
        return .json(.object(members))
    }

    private func isSpent(_ token: VerifiedToken) -> Bool {
        guard token.isRefreshToken, let familyID = token.familyID else { return false }
        if case .spent = backend.families.status(of: token.id, inFamily: familyID) { return false }
        return true
    }

    /// `GET|POST /oauth2/userinfo`: returns the user's claims that the token's scopes allow (OpenID Connect Core section
    /// 5.3).
    func userInfo() throws -> LocalResponse {
        let (scheme, text) =
            (request.credentials("DPoP").map { ("DPoP", $0) })
            ?? request.credentials("Bearer").map { ("Bearer", $0) } ?? ("", "")
        guard !scheme.isEmpty else {
            // `Bearer` without a token is an invalid request. An absent header or another scheme gets a challenge without
            // an error.
            let sent = (request.header("Authorization") ?? "").trimmingCharacters(in: .whitespaces)
            guard sent.caseInsensitiveCompare("Bearer") == .orderedSame else {
                return LocalResponse(status: 401, headers: [("WWW-Authenticate", "Bearer")])
            }
            throw tokenRefusal("Bearer", 400, "invalid_request", "Invalid or malformed Bearer token")
        }
        guard let token = backend.tokens.good(text), token.isAccessToken,
            let application = token.clientID.flatMap(backend.application(clientID:))
        else {
            throw tokenRefusal(scheme, 401, "invalid_token", "The access token is invalid, expired, or malformed")
        }
        try checkBinding(of: token, text, scheme)
        guard token.scopes.contains("openid") else {
            throw tokenRefusal(scheme, 403, "insufficient_scope", "The access token lacks the scope openid")
        }
        let grant = TokenGrant(
            application: application, userID: token.subject, scopes: token.scopes, grantType: .authorizationCode,
            attributes: backend.tokens.cachedAttributes(token.string("aci")))
        let claims = backend.tokens.openIDClaims(of: grant).merging(["sub": .string(token.subject)]) { $1 }
        let headers = [(name: "Cache-Control", value: "no-store"), (name: "Pragma", value: "no-cache")]
        guard application.signsUserInfo else { return .json(.object(claims), headers: headers) }
        return LocalResponse(
            status: 200, headers: [("Content-Type", "application/jwt")] + headers,
            body: Data(try backend.tokens.signedUserInfo(claims, for: application).utf8))
    }

    /// Checks the scheme of a token (RFC 9449 section 7). A token that is bound to a key needs the scheme `DPoP` and a
    /// proof of that key. Any other token needs the scheme `Bearer`.
    private func checkBinding(of token: VerifiedToken, _ text: String, _ scheme: String) throws {
        let key = token["cnf"]?["jkt"]?.stringValue
        guard scheme == "DPoP" else {
            guard key == nil else {
                throw tokenRefusal("DPoP", 401, "invalid_token", "DPoP-bound token must use DPoP scheme")
            }
            return
        }
        guard request.headers.filter({ $0.name.caseInsensitiveCompare("DPoP") == .orderedSame }).count == 1 else {
            throw tokenRefusal(scheme, 401, "invalid_token", "Exactly one DPoP header is required")
        }
        guard let key, (try? provenKey(accessToken: text)) == key else {
            throw tokenRefusal(scheme, 401, "invalid_token", "DPoP proof verification failed")
        }
    }

    private func tokenRefusal(
        _ scheme: String, _ status: Int, _ error: String, _ description: String
    ) -> ThunderIDServerError {
        .oauth(
            status: status, error: error, description: description,
            challenge: "\(scheme == "DPoP" ? Self.dpopChallenge : scheme) error=\"\(error)\", "
                + "error_description=\"\(description)\"")
    }
}
