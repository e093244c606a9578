import Foundation
import IdentityKit

extension ThunderIDCall {
    /// The members of a token response (RFC 6749 section 5.1).
    typealias TokenMembers = [String: JSONValue]

    func token() throws -> LocalResponse {
        do {
            return try issuedTokens()
        } catch let failure as ThunderIDServerError {
            noteRefusal(RefusalReason.text(of: failure.response))
            throw failure
        }
    }

    private func noteRefusal(_ reason: String?) {
        guard !RefusalReason.asksToPollAgain(reason) else { return }
        backend.journal.note(
            .refused, at: backend.time.now,
            client: request.formValue("client_id") ?? request.basicCredentials?.clientID, reason: reason)
    }

    private func issuedTokens() throws -> LocalResponse {
        let application = try authenticatedClient()
        let name = request.formValue("grant_type") ?? ""
        guard !name.isEmpty else { throw ThunderIDServerError.oauth("invalid_request", "Missing grant_type parameter") }
        let known = LocalThunderIDServer.Application.GrantType(rawValue: name)
        guard known != nil || Self.grantsForOthers.contains(name) else {
            throw ThunderIDServerError.oauth("unsupported_grant_type", "Invalid grant_type parameter")
        }
        guard let grantType = known, application.grantTypes.contains(grantType) else { throw Self.unauthorizedGrant }
        let key = try provenKey()
        guard key != nil || !(application.requiresDPoP || backend.configuration.requiresDPoP) else {
            throw ThunderIDServerError.oauth("invalid_dpop_proof", "A DPoP proof is required")
        }
        let members =
            switch grantType {
            case .authorizationCode: try codeGrant(of: application, key: key)
            case .refreshToken: try refreshGrant(of: application, key: key)
            case .tokenExchange: try tokenExchangeGrant(of: application, key: key)
            case .clientCredentials: try clientCredentialsGrant(of: application, key: key)
            case .backchannel: try backchannelGrant(of: application, key: key)
            }
        backend.journal.note(
            grantType == .refreshToken ? .refreshed : .issued, at: backend.time.now, client: application.clientID,
            person: members["access_token"]?.stringValue.flatMap(backend.tokens.unexpired)?.subject)
        return .uncachedJSON(.object(members))
    }

    /// Grant types of a real server that this server does not implement. Requests fail with `unauthorized_client`.
    private static let grantsForOthers = ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
    static let unauthorizedGrant = ThunderIDServerError.oauth(
        "unauthorized_client", "The client is not authorized to use this grant type")

    func accessTokenMembers(_ grant: TokenGrant) throws -> TokenMembers {
        var members: TokenMembers = [
            "access_token": .string(try backend.tokens.accessToken(grant)),
            "token_type": grant.keyThumbprint == nil ? "Bearer" : "DPoP",
            "expires_in": .integer(backend.tokens.accessTokenLifetime),
        ]
        if !grant.scopes.isEmpty { members["scope"] = .string(grant.scope) }
        return members
    }

    /// Handles the grant `authorization_code` (RFC 6749 section 4.1.3).
    func codeGrant(of application: LocalThunderIDServer.Application, key: String?) throws -> TokenMembers {
        let code = try redeemCode(of: application)
        try check(code)
        guard code.request.keyThumbprint == nil || code.request.keyThumbprint == key else {
            throw ThunderIDServerError.oauth("invalid_dpop_proof", "The code is bound to another key")
        }

        let grant = TokenGrant(
            application: application, userID: code.userID, scopes: code.request.scopes,
            grantType: .authorizationCode, attributes: backend.tokens.cachedAttributes(code.attributeCacheID),
            attributeCacheID: code.attributeCacheID, familyID: code.familyID, resource: code.request.resource,
            keyThumbprint: key)
        return try signInMembers(
            grant, inFamily: code.familyID,
            .init(
                time: code.authenticationTime, authenticationClass: code.authenticationClass,
                nonce: code.request.nonce))
    }

    /// The members of the token response after a sign-in. Also starts the token family of the sign-in, so that all its tokens
    /// can be revoked together.
    func signInMembers(
        _ grant: TokenGrant, inFamily familyID: String, _ signIn: ThunderIDTokenService.SignIn
    ) throws -> TokenMembers {
        let lastEnd = max(backend.tokens.refreshTokenExpiry, backend.tokens.accessTokenExpiry)
        backend.families.open(
            familyID, userID: grant.userID, until: Date(timeIntervalSince1970: TimeInterval(lastEnd + 60)))
        var members = try accessTokenMembers(grant)
        if grant.scopes.contains("openid") {
            members["id_token"] = .string(try backend.tokens.idToken(grant, signIn))
        }
        if grant.application.grantTypes.contains(.refreshToken) {
            members["refresh_token"] = .string(
                try backend.tokens.refreshToken(grant, expiresAt: backend.tokens.refreshTokenExpiry))
        }
        return members
    }

    private func redeemCode(of application: LocalThunderIDServer.Application) throws -> AuthorizationCode {
        let text = try required("code", "Authorization code is required")
        switch backend.authorizations.codes.redeem(
            text, if: { $0.request.application.clientID == application.clientID })
        {
        case .fresh(let code):
            return code
        case .replayed(let code):
            backend.noteReplay(ofFamily: code.familyID)
            fallthrough
        case .unknown:
            throw ThunderIDServerError.oauth("invalid_grant", "Invalid authorization code")
        }
    }

    /// Checks the redirect URI, the expiry and the code verifier (PKCE). The authorization code is already spent, so
    /// after an error the client must start again.
    private func check(_ code: AuthorizationCode) throws {
        if code.request.namesRedirectURI, request.formValue("redirect_uri") != code.request.redirectURI {
            throw ThunderIDServerError.oauth("invalid_grant", "Invalid redirect URI")
        }
        guard backend.time.now < code.expiresAt else {
            throw ThunderIDServerError.oauth("invalid_grant", "Expired authorization code")
        }
        guard let challenge = code.request.codeChallenge else { return }
        guard let verifier = request.formValue("code_verifier"), !verifier.isEmpty else {
            throw ThunderIDServerError.oauth("invalid_grant", "code_verifier is required")
        }
        guard CodeChallenge.matches(challenge, verifier: verifier) else {
            throw ThunderIDServerError.oauth("invalid_grant", "Invalid code verifier")
        }
    }

    /// Handles the grant `client_credentials` (RFC 6749 section 4.4): issues an access token with the application as the
    /// subject.
    func clientCredentialsGrant(of application: LocalThunderIDServer.Application, key: String?) throws -> TokenMembers {
        guard application.clientAuthentication != .none else {
            throw ThunderIDServerError.oauth("unauthorized_client", "A public client has no credentials")
        }
        let grant = TokenGrant(
            application: application, userID: application.id, scopes: [], grantType: .clientCredentials,
            attributes: [:], keyThumbprint: key)
        return try accessTokenMembers(grant)
    }
}
