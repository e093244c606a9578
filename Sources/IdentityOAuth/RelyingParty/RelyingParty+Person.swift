import Foundation
import IdentityKit

extension RelyingParty {
    /// Requests the claims about the person from the userinfo endpoint (OpenID Connect Core section 5.3). The access token must
    /// be bound to the key of ``dpop``, or be a bearer token if ``dpop`` is `nil`.
    /// - Parameters:
    ///   - accessToken: an access token with the scope `openid`.
    ///   - person: the identifier of the person, as in ``IDToken/person``; `nil` if the server issued no ID token.
    /// - Throws: ``OAuthError``, `MalformedTokenError`, `RandomnessError`, `CancellationError`, or what the transport
    ///   throws.
    package func userInfo(_ accessToken: Secret, of person: String?) async throws -> UserInfo {
        try await userInfo(accessToken, of: person, dpop: dpop)
    }

    /// Requests the claims about the person as ``userInfo(_:of:)`` does, for an access token that is bound to the key of
    /// `dpop`. If `dpop` is `nil`, the token is a bearer token.
    /// - Throws: as ``userInfo(_:of:)``.
    package func userInfo(_ accessToken: Secret, of person: String?, dpop: DPoPProver?) async throws -> UserInfo {
        let keys = try requireKeys()
        return try await UserInfoRequest(
            userinfoEndpoint: metadata.endpoint(.userinfo), accessToken: accessToken, client: client, dpop: dpop
        ).send(
            using: transport, subject: person.map(subject(ofPerson:)),
            issuer: person.flatMap { tenants?.issuer(ofPerson: $0) } ?? validator.issuer, keys: keys)
    }

    /// Returns the `sub` of a person, without the tenant that a multi-tenant server's identifiers also contain.
    /// - Parameter person: the identifier, as in ``IDToken/person``.
    func subject(ofPerson person: String) -> String { tenants == nil ? person : TenantIssuer.subject(of: person) }

    /// Requests the profile from the userinfo endpoint if the ID token lacks a name or an e-mail address although the scope
    /// `profile` or `email` was granted. Many servers send these claims only in userinfo (OpenID Connect Core section 5.4).
    /// Waits five seconds at most.
    /// - Returns: `nil` if no claim is missing, the server has no userinfo endpoint, or the request fails. A sign-in must not
    ///   fail for lack of a profile.
    func missingProfile(of tokens: TokenSet, _ idToken: IDToken, time: TimeSource) async -> AccountProfile? {
        let known = AccountProfile(claims: idToken.claims)
        let scopes = (tokens.response.scopes ?? []).withAliases
        let lacksName = known?.displayName == nil && scopes.contains("profile")
        let lacksEmail = known?.email == nil && scopes.contains("email")
        guard lacksName || lacksEmail, metadata.userinfoEndpoint != nil else { return nil }
        let info = try? await Deadline.run(.seconds(5), on: time, orThrow: CancellationError()) {
            try await self.userInfo(tokens.response.accessToken, of: idToken.person)
        }
        return info.flatMap { AccountProfile(claims: $0.claims) }
    }

    /// Fetches a JSON object or list from an address that accepts the access token.
    /// - Throws: ``OAuthError``, also for a header that ``AccountSource/checkHeaders(_:)`` refuses,
    ///   `MalformedTokenError`, `RandomnessError`, `CancellationError`, or what the transport throws.
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

    /// Revokes the refresh token and the session's own access token of `credential` at the same time, and then its unexpired
    /// access tokens for resources. A failed request does not stop the others.
    /// - Throws: the error of the refresh token's revocation, or else the first error of an access token's revocation.
    package func revoke(_ credential: Credential) async throws {
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
            // Some servers revoke only refresh tokens (RFC 7009 section 2.2.1). Their access tokens end at the latest when
            // they expire.
        } catch {
            return error
        }
        return nil
    }
}
