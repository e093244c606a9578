import Foundation

/// A provider whose server exchanges tokens that others sent to this program.
package protocol TokenDelegating: Sendable {
    /// Exchanges `token`, which somebody sent to this program, for a token that acts on behalf of the sender.
    /// - Parameter isProven: whether the caller can prove possession of a key, so that the new token may be bound to a key
    ///   (RFC 9449).
    /// - Throws: what the provider throws.
    func credential(
        onBehalfOf token: Secret, actor: Secret?, scopes: Set<String>, resource: String?, replacing rejected: String?,
        isProven: Bool
    ) async throws -> Credential

    /// Adds the access token of `credential` to `request`, with a proof of possession if the token is bound to a key.
    /// - Throws: what the provider throws.
    func authorize(_ request: URLRequest, with credential: Credential) async throws -> URLRequest
}

extension IdentityClient {
    /// Returns an access token for another API, on behalf of the sender of a request to this program that contained `token`
    /// (RFC 8693). Where the provider's `tokensByResource` is `entra`, `token` is sent as an assertion (RFC 7523 section
    /// 2.1).
    ///
    /// The new token is kept in memory while it and `token` are valid. Concurrent calls with the same arguments share
    /// one request. Validate `token` before this call: only the server that exchanges `token` checks it. No account is
    /// read, chosen or made active.
    ///
    /// Where the provider binds tokens to a key (RFC 9449), this method throws. Use
    /// ``authorize(_:onBehalfOf:from:scopes:resource:actor:replacing:)`` instead.
    /// - Parameters:
    ///   - token: the access token of the request.
    ///   - provider: the name of the provider whose server exchanges the token. Its type is `workload`, `openid-connect`,
    ///     `oauth2`, or a preset of one of these types.
    ///   - scopes: the scopes that the new token must have.
    ///   - resource: the identifier of the API; `nil` leaves it to the provider's settings and its server.
    ///   - actor: an access token that identifies who acts for the sender (RFC 8693 section 2.1); `nil` for none.
    ///   - rejectedToken: the result of an earlier call that the API has just refused with 401; `nil` to use the token in
    ///     memory.
    /// - Throws: an error with the code `unknown_provider` when no provider has this name, `provider_excluded` when the
    ///   client's `ProviderOverride` excludes the provider, or `token_malformed` for a token that no header can carry;
    ///   ``ClientError/cannotDelegate(_:)`` when the provider's type cannot exchange tokens; otherwise what the provider
    ///   throws.
    public func accessToken(
        onBehalfOf token: String, from provider: String, scopes: Set<String> = [], resource: String? = nil,
        actor: String? = nil, replacing rejectedToken: String? = nil
    ) async throws -> String {
        let delegating = try delegating(provider)
        let (subject, actor) = (Secret(try token.asToken()), try actor.map { Secret(try $0.asToken()) })
        return try await ProviderError.classifying {
            try await delegating.credential(
                onBehalfOf: subject, actor: actor, scopes: scopes, resource: resource, replacing: rejectedToken,
                isProven: false)
        }.accessToken.reveal().asToken()
    }

    /// Adds an access token for another API to `request`, as
    /// ``accessToken(onBehalfOf:from:scopes:resource:actor:replacing:)`` returns it. Also works where the provider
    /// binds tokens to a key (RFC 9449). The request then proves possession of the key, which this program keeps in
    /// memory.
    /// - Throws: as ``accessToken(onBehalfOf:from:scopes:resource:actor:replacing:)``,
    ///   ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine, and
    ///   ``ClientError/notDestination(_:host:)`` for an address that ``ProviderConfiguration/sendsTo`` of the provider
    ///   does not allow.
    public func authorize(
        _ request: URLRequest, onBehalfOf token: String, from provider: String, scopes: Set<String> = [],
        resource: String? = nil, actor: String? = nil, replacing rejectedToken: String? = nil
    ) async throws -> URLRequest {
        try request.checkMayCarryToken()
        let delegating = try delegating(provider)
        guard allows(provider, at: request.url) else {
            throw ClientError.notDestination(
                AccountID(account: "", realm: provider), host: request.url?.host ?? "an unknown host")
        }
        let (subject, actor) = (Secret(try token.asToken()), try actor.map { Secret(try $0.asToken()) })
        return try await ProviderError.classifying {
            let credential = try await delegating.credential(
                onBehalfOf: subject, actor: actor, scopes: scopes, resource: resource, replacing: rejectedToken,
                isProven: true)
            return try await delegating.authorize(request, with: credential)
        }
    }

    private func delegating(_ provider: String) throws -> any TokenDelegating {
        let link = try chain.participant(named: provider)
        guard let delegating = link.provider as? any TokenDelegating else { throw ClientError.cannotDelegate(provider) }
        return delegating
    }
}
