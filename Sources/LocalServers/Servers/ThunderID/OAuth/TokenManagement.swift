import Foundation
import IdentityKit

/// `POST /oauth2/revoke` (RFC 7009): a token takes its whole family with it.
struct RevokeToken: ThunderIDEndpoint {
    func respond(to call: ThunderIDCall) throws -> LocalResponse {
        let application = try call.authenticatedClient()
        guard let text = call.request.formValue("token"), !text.isEmpty else {
            throw ThunderIDFailure.oauth("invalid_request", "Token is required")
        }
        // What is no token, or no token any more, is as good as revoked.
        guard let token = call.backend.tokens.unexpired(text) else { return LocalResponse(status: 200) }
        guard token.clientID == application.clientID else {
            throw ThunderIDFailure.oauth("invalid_grant", "The token was issued to another client")
        }
        if let familyID = token.familyID {
            call.backend.revokeFamily(familyID)
        } else {
            call.backend.families.revokeToken(token.id)
        }
        return LocalResponse(status: 200)
    }
}

/// `POST /oauth2/introspect` (RFC 7662): id tokens and assertions are never active.
struct IntrospectToken: ThunderIDEndpoint {
    func respond(to call: ThunderIDCall) throws -> LocalResponse {
        _ = try call.authenticatedClient()
        guard let text = call.request.formValue("token"), !text.isEmpty else {
            throw ThunderIDFailure.oauth("invalid_request", "Token is required")
        }
        guard let token = call.backend.tokens.good(text), token.isAccessToken || token.isRefreshToken,
            !isSpent(token, call.backend)
        else { return .json(["active": false]) }
        var members: [String: JSONValue] = [
            "active": true, "token_type": token["cnf"] == nil ? "Bearer" : "DPoP",
        ]
        for claim in ["scope", "client_id", "sub", "aud", "iss", "jti", "exp", "iat", "nbf", "cnf"] {
            members[claim] = token[claim]
        }
        return .json(.object(members))
    }

    private func isSpent(_ token: VerifiedToken, _ backend: ThunderIDBackend) -> Bool {
        guard token.isRefreshToken, let familyID = token.familyID else { return false }
        if case .spent = backend.families.status(of: token.id, inFamily: familyID) { return false }
        return true
    }
}

/// `GET|POST /oauth2/userinfo` (OpenID Connect Core section 5.3)
struct UserInfo: ThunderIDEndpoint {
    func respond(to call: ThunderIDCall) throws -> LocalResponse {
        let backend = call.backend
        let (scheme, text) =
            (call.credentials("DPoP").map { ("DPoP", $0) })
            ?? call.credentials("Bearer").map { ("Bearer", $0) } ?? ("", "")
        guard !scheme.isEmpty else {
            return LocalResponse(status: 401, headers: [("WWW-Authenticate", "Bearer")])
        }
        guard let token = backend.tokens.good(text), token.isAccessToken,
            let application = token.clientID.flatMap(backend.application(clientID:))
        else {
            throw refusal(scheme, 401, "invalid_token", "The access token is invalid, expired, or malformed")
        }
        try checkBinding(of: token, text, scheme, call)
        guard token.scopes.contains("openid") else {
            throw refusal(scheme, 403, "insufficient_scope", "The access token lacks the scope openid")
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

    /// A bound token comes with a proof of its key and never as a bearer token; one that is not bound has no use for a
    /// proof (RFC 9449 section 7).
    private func checkBinding(
        of token: VerifiedToken, _ text: String, _ scheme: String, _ call: ThunderIDCall
    ) throws {
        let key = token["cnf"]?["jkt"]?.stringValue
        guard scheme == "DPoP" else {
            guard key == nil else {
                throw refusal("DPoP", 401, "invalid_token", "DPoP-bound token must use DPoP scheme")
            }
            return
        }
        guard let key, (try? call.provenKey(accessToken: text)) == key else {
            throw refusal(scheme, 401, "invalid_token", "DPoP proof verification failed")
        }
    }

    private func refusal(
        _ scheme: String, _ status: Int, _ error: String, _ description: String
    ) -> ThunderIDFailure {
        .oauth(
            status: status, error: error, description: description,
            challenge: "\(scheme) error=\"\(error)\", error_description=\"\(description)\"")
    }
}
