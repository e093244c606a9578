import Foundation
import IdentityKit

extension RelyingParty {
    /// Asks the server about the person (OpenID Connect Core section 5.3).
    /// - Parameters:
    ///   - accessToken: an access token with the scope `openid`.
    ///   - subject: the `sub` of the ID token; `nil` if the server issued none.
    /// - Throws: ``OAuthError``, or what the transport throws.
    package func userInfo(_ accessToken: Secret, subject: String?) async throws -> UserInfo {
        try await userInfo(accessToken, subject: subject, dpop: dpop)
    }

    /// Asks the server about the person of an account.
    /// - Parameter account: the account's identifier, as in ``IDToken/person``.
    package func userInfo(_ credential: Credential, of account: String, dpop: DPoPProver?) async throws -> UserInfo {
        try await userInfo(credential.accessToken, subject: subject(ofPerson: account), dpop: dpop)
    }

    /// The `sub` in a person's identifier, which also names the tenant at a multi-tenant server.
    /// - Parameter person: the identifier, as in ``IDToken/person``.
    func subject(ofPerson person: String) -> String { tenants == nil ? person : TenantIssuer.subject(of: person) }

    /// As above, for a token that is bound to the key of `dpop`, which may differ from the key for new tokens.
    package func userInfo(_ accessToken: Secret, subject: String?, dpop: DPoPProver?) async throws -> UserInfo {
        let keys = try requireKeys()
        return try await UserInfoRequest(
            userinfoEndpoint: metadata.endpoint(.userinfo), accessToken: accessToken, client: client, dpop: dpop
        ).send(using: transport, subject: subject, validator: validator, keys: keys)
    }

    /// The userinfo for an ID token that lacks claims which the granted scopes promise: many servers send a name only
    /// there (OpenID Connect Core section 5.4). Waits five seconds at most, and returns `nil` for a failure, which no
    /// sign-in should fail for.
    func missingProfile(of tokens: TokenSet, _ idToken: IDToken, time: TimeSource) async -> AccountProfile? {
        let known = AccountProfile(claims: idToken.claims)
        let scopes = (tokens.response.scopes ?? []).withAliases
        let lacksName = known?.displayName == nil && scopes.contains("profile")
        let lacksEmail = known?.email == nil && scopes.contains("email")
        guard lacksName || lacksEmail, metadata.userinfoEndpoint != nil else { return nil }
        let info = try? await Deadline.run(.seconds(5), on: time, orThrow: CancellationError()) {
            try await self.userInfo(tokens.response.accessToken, subject: idToken.subject)
        }
        return info.flatMap { AccountProfile(claims: $0.claims) }
    }

    /// A JSON object or list that the server returns for an access token.
    func resource(at url: URL, headers: [String: String], _ accessToken: Secret) async throws -> JSONValue {
        try AccountSource.checkHeaders(headers)
        return try await client.send(
            proving: dpop, using: transport, upTo: ResponseSize.withProfile,
            {
                try client.transportSecurity.require(url)
                var request = URLRequest.json(from: url)
                for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
                return try client.requestFormat.userInfo(request, presenting: accessToken, dpop: dpop)
            }
        ) { data, response in
            dpop?.learn(from: response)
            return try await HTTPResponse(data, response, limit: ResponseSize.withProfile).namingItself {
                try $0.document()
            }
        }
    }

    /// Revokes all tokens of a session, even if some of the requests fail: first the refresh token and the session's
    /// own access token together, then those for resources.
    /// - Throws: the failure of the refresh token, else that of an access token.
    public func revoke(_ credential: Credential) async throws {
        var failure: (any Error)?
        async let revocation = self.failure(ofRevoking: credential.accessToken, of: credential)
        if let refreshToken = credential.refreshToken {
            do {
                try await revoke(refreshToken, hint: .refreshToken)
            } catch {
                failure = error
            }
        }
        let ownFailure = await revocation
        failure = failure ?? ownFailure
        for token in credential.tokens where token.life.isValid(at: time.now) {
            let own = await self.failure(ofRevoking: token.accessToken, of: credential)
            failure = failure ?? own
        }
        if let failure { throw failure }
    }

    private func failure(ofRevoking accessToken: Secret, of credential: Credential) async -> (any Error)? {
        do {
            try await revoke(accessToken, hint: .accessToken)
        } catch OAuthError.refused(let refusal)
            where refusal.error == .unsupportedTokenType && credential.refreshToken != nil
        {
            // Some servers revoke refresh tokens only, and with them the access tokens issued from them (RFC 7009 section 2.1).
        } catch {
            return error
        }
        return nil
    }
}
