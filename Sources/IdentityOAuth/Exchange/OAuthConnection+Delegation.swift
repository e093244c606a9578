import Foundation
import IdentityKit
import IdentityStoreFormat

extension OAuthConnection {
    /// Returns an access token on behalf of the sender of `token`, from memory or else from the server.
    /// - Parameter isProven: whether the caller can prove possession of the key that tokens are bound to (RFC 9449).
    /// - Throws: ``OAuthError``, also when the server issues a token that is for another resource or lacks scopes;
    ///   ``/IdentityCore/TokenStoreError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    func credential(
        onBehalfOf token: Secret, actor: Secret?, scopes: Set<String>, resource: String?, replacing rejected: String?,
        isProven: Bool
    ) async throws -> Credential {
        // Only a caller that can sign proofs can use a bound token.
        guard isProven || !server.bindsTokens else { throw OAuthError.invalidSetting(.invalidParameter("dpop")) }
        let prover = server.bindsTokens ? try proverOfDelegation() : nil
        let key = DelegatedTokens.Key(
            token, actor: actor, client: server.client.id, resource: resource, scopes: scopes,
            thumbprint: prover?.key.publicKey.thumbprint)
        let end = (try? JSONWebToken(token))?.expiresAt
        return try await delegated.token(for: key, replacing: rejected, until: end) { [self] in
            var party = try await relyingParty
            try await requireConsent(to: party, asksPerson: false)
            if let prover { party = party.proving(prover) }
            let style = server.tokensByResource
            let credential = try await party.exchange(
                style.grant(onBehalfOf: token, actor: actor, scopes: scopes.sorted(), resource: resource)
            ).credential(backend: server.backend, clientID: server.client.id)
            try style.check(credential, scopes, resource, from: party.metadata)
            return credential
        }
    }
}

extension RelyingParty {
    /// Exchanges a token. If the grant names a resource or an audience, or is the on-behalf-of grant of Microsoft Entra
    /// ID, the configured `resource` and `audience` are not sent. Otherwise they are sent in addition to the grant.
    /// - Parameters:
    ///   - grant: the grant to send, with the token to exchange.
    ///   - transport: sends the request; `nil` for the transport of this relying party.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    package func exchange(_ grant: TokenGrant, using transport: (any HTTPTransport)? = nil) async throws -> TokenSet {
        var party = self
        if grant.fields.contains(where: { ["audience", "resource", "requested_token_use"].contains($0.name) }) {
            party.tokenParameters.removeAll { ["audience", "resource"].contains($0.name) }
        }
        return try await party.tokens(for: grant, using: transport)
    }
}

extension TokensByResource {
    /// Creates the grant that exchanges `token` for another token on behalf of the sender of `token`: a token exchange (RFC
    /// 8693), or for Microsoft Entra ID a JWT assertion (RFC 7523) with scopes that name the resource.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for an invalid scope, or for an actor token at Microsoft Entra ID.
    fileprivate func grant(
        onBehalfOf token: Secret, actor: Secret?, scopes: [String], resource: String?
    ) throws -> TokenGrant {
        let targets = resource.map { [$0] } ?? []
        guard self != .entra else {
            guard actor == nil else { throw OAuthError.invalidSetting(.invalidParameter("actor_token")) }
            guard let key = resource.map({ TokenKey(resource: $0) }) else {
                return try .onBehalfOf(token, scopes: scopes)
            }
            return try .onBehalfOf(token, scopes: (scopes.isEmpty ? [".default"] : scopes).map(key.qualified))
        }
        let namesAudience = self == .auth0 || self == .okta
        return try .tokenExchange(
            subjectToken: token, subjectTokenType: .accessToken, actorToken: actor.map { ($0, .accessToken) },
            audiences: namesAudience ? targets : [], resources: namesAudience ? [] : targets,
            scopes: scopes.isEmpty ? nil : scopes)
    }

    /// Checks that the token has all `scopes`, and, for a JWT with an `aud`, that the `aud` contains `resource`. A token of
    /// Microsoft Entra ID is not checked: that server names some resources by a GUID, and writes scopes with or without the
    /// resource.
    /// - Throws: ``OAuthError/invalidResponse(_:host:)``.
    fileprivate func check(
        _ credential: Credential, _ scopes: Set<String>, _ resource: String?, from server: AuthorizationServerMetadata
    ) throws {
        guard self != .entra else { return }
        func flaw(_ member: String) -> OAuthError {
            .invalidResponse(.invalidMember(member), host: server.tokenEndpoint?.host ?? server.issuer)
        }
        if let resource, let audience = (try? JSONWebToken(credential.accessToken))?.audience,
            !audience.contains(where: { $0.hasBytes(of: resource) })
        {
            throw flaw("aud")
        }
        guard GrantedScopes.suffice(credential.scopes, for: scopes) else { throw flaw("scope") }
    }
}

extension OAuthSessionProvider: TokenDelegating {
    package func credential(
        onBehalfOf token: Secret, actor: Secret?, scopes: Set<String>, resource: String?, replacing rejected: String?,
        isProven: Bool
    ) async throws -> Credential {
        try await connection.credential(
            onBehalfOf: token, actor: actor, scopes: scopes, resource: resource, replacing: rejected, isProven: isProven
        )
    }
}

extension WorkloadProvider: TokenDelegating {
    package func credential(
        onBehalfOf token: Secret, actor: Secret?, scopes: Set<String>, resource: String?, replacing rejected: String?,
        isProven: Bool
    ) async throws -> Credential {
        // Without a connection, the tokens come from a build platform or a cloud, where no server exchanges them.
        guard let connection else { throw OAuthError.invalidSetting(.invalidParameter("issuer")) }
        return try await connection.credential(
            onBehalfOf: token, actor: actor, scopes: scopes, resource: resource, replacing: rejected, isProven: isProven
        )
    }
}

extension TokenDelegating where Self: TokenPresenting {
    package func authorize(_ request: URLRequest, with credential: Credential) async throws -> URLRequest {
        try await presentation.authorizing(request, with: credential)
    }
}
