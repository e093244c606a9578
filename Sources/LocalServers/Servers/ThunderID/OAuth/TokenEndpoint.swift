import Foundation
import IdentityKit

/// `POST /oauth2/token`
struct TokenEndpoint: ThunderIDEndpoint {
    typealias GrantType = LocalThunderIDServer.Application.GrantType

    func respond(to call: ThunderIDCall) throws -> LocalResponse {
        let application = try call.authenticatedClient()
        let name = call.request.formValue("grant_type") ?? ""
        guard !name.isEmpty else { throw ThunderIDFailure.oauth("invalid_request", "Missing grant_type parameter") }
        guard let grantType = GrantType(rawValue: name) else {
            throw ThunderIDFailure.oauth("unsupported_grant_type", "Invalid grant_type parameter")
        }
        guard application.grantTypes.contains(grantType) else {
            throw ThunderIDFailure.oauth(
                "unauthorized_client", "The client is not authorized to use this grant type")
        }
        let keyThumbprint = try call.provenKey()
        guard keyThumbprint != nil || !(application.requiresDPoP || call.backend.configuration.requiresDPoP) else {
            throw ThunderIDFailure.oauth("invalid_dpop_proof", "A DPoP proof is required")
        }
        let grant: any TokenGrantHandler =
            switch grantType {
            case .authorizationCode: AuthorizationCodeGrant()
            case .refreshToken: RefreshTokenGrant()
            case .tokenExchange: TokenExchangeGrant()
            case .clientCredentials: ClientCredentialsGrant()
            }
        let members = try grant.tokens(for: application, boundTo: keyThumbprint, call)
        return .json(
            .object(members), headers: [("Cache-Control", "no-store"), ("Pragma", "no-cache")])
    }
}

/// One grant type of the token endpoint.
protocol TokenGrantHandler: Sendable {
    /// The members of the success answer.
    /// - Parameter keyThumbprint: the key that the request proved.
    /// - Throws: ``ThunderIDFailure``
    func tokens(
        for application: LocalThunderIDServer.Application, boundTo keyThumbprint: String?, _ call: ThunderIDCall
    ) throws -> [String: JSONValue]
}

extension TokenGrantHandler {
    /// The members every success answer has.
    func accessTokenMembers(_ grant: TokenGrant, _ tokens: ThunderIDTokenService) throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "access_token": .string(try tokens.accessToken(grant)),
            "token_type": grant.keyThumbprint == nil ? "Bearer" : "DPoP",
            "expires_in": .integer(tokens.accessTokenLifetime),
        ]
        if !grant.scopes.isEmpty { members["scope"] = .string(grant.scope) }
        return members
    }
}

/// `authorization_code` (RFC 6749 section 4.1.3)
struct AuthorizationCodeGrant: TokenGrantHandler {
    func tokens(
        for application: LocalThunderIDServer.Application, boundTo keyThumbprint: String?, _ call: ThunderIDCall
    ) throws -> [String: JSONValue] {
        let backend = call.backend
        let code = try consumeCode(of: application, call)
        try check(code, call)
        guard code.request.keyThumbprint == nil || code.request.keyThumbprint == keyThumbprint else {
            throw ThunderIDFailure.oauth("invalid_dpop_proof", "The code is bound to another key")
        }

        let grant = TokenGrant(
            application: application, userID: code.userID, scopes: code.request.scopes,
            grantType: .authorizationCode, attributes: backend.tokens.cachedAttributes(code.attributeCacheID),
            attributeCacheID: code.attributeCacheID, familyID: code.familyID, resource: code.request.resource,
            keyThumbprint: keyThumbprint)
        let lastEnd = max(backend.tokens.refreshTokenExpiry, backend.tokens.accessTokenExpiry)
        backend.families.open(
            code.familyID, userID: code.userID, until: Date(timeIntervalSince1970: TimeInterval(lastEnd + 60)))
        var members = try accessTokenMembers(grant, backend.tokens)
        if grant.scopes.contains("openid") {
            members["id_token"] = .string(
                try backend.tokens.idToken(
                    grant,
                    .init(
                        time: code.authenticationTime, authenticationClass: code.authenticationClass,
                        nonce: code.request.nonce)))
        }
        if application.grantTypes.contains(.refreshToken) {
            members["refresh_token"] = .string(
                try backend.tokens.refreshToken(grant, expiresAt: backend.tokens.refreshTokenExpiry))
        }
        return members
    }

    private func consumeCode(
        of application: LocalThunderIDServer.Application, _ call: ThunderIDCall
    ) throws -> AuthorizationCode {
        guard let text = call.request.formValue("code"), !text.isEmpty else {
            throw ThunderIDFailure.oauth("invalid_request", "Authorization code is required")
        }
        switch call.backend.authorizations.codes.consume(text, clientID: application.clientID) {
        case .fresh(let code):
            return code
        case .replayed(let familyID):
            call.backend.noteReplay(ofFamily: familyID)
            fallthrough
        case .unknown:
            throw ThunderIDFailure.oauth("invalid_grant", "Invalid authorization code")
        }
    }

    /// The code is consumed by now: whoever fails here has to start again.
    private func check(_ code: AuthorizationCode, _ call: ThunderIDCall) throws {
        if code.request.namesRedirectURI, call.request.formValue("redirect_uri") != code.request.redirectURI {
            throw ThunderIDFailure.oauth("invalid_grant", "Invalid redirect URI")
        }
        guard call.backend.time.now < code.expiresAt else {
            throw ThunderIDFailure.oauth("invalid_grant", "Expired authorization code")
        }
        guard let challenge = code.request.codeChallenge else { return }
        guard let verifier = call.request.formValue("code_verifier"), !verifier.isEmpty else {
            throw ThunderIDFailure.oauth("invalid_grant", "code_verifier is required")
        }
        guard CodeChallenge.matches(challenge, verifier: verifier) else {
            throw ThunderIDFailure.oauth("invalid_grant", "Invalid code verifier")
        }
    }
}

/// `client_credentials` (RFC 6749 section 4.4): the client speaks for itself.
struct ClientCredentialsGrant: TokenGrantHandler {
    func tokens(
        for application: LocalThunderIDServer.Application, boundTo keyThumbprint: String?, _ call: ThunderIDCall
    ) throws -> [String: JSONValue] {
        guard application.clientAuthentication != .none else {
            throw ThunderIDFailure.oauth("unauthorized_client", "A public client has no credentials")
        }
        let grant = TokenGrant(
            application: application, userID: application.id, scopes: [], grantType: .clientCredentials,
            attributes: [:], keyThumbprint: keyThumbprint)
        return try accessTokenMembers(grant, call.backend.tokens)
    }
}
