/// A provider whose server exchanges tokens that others sent to this program.
package protocol TokenDelegating: Sendable {
    /// A bearer token on behalf of whoever sent `token`.
    /// - Throws: the provider's error.
    func accessToken(
        onBehalfOf token: Secret, actor: Secret?, scopes: Set<String>, resource: String?, replacing rejected: String?
    ) async throws -> String
}

extension IdentityClient {
    /// An access token for another API, on behalf of whoever sent a request with `token` to this program (RFC 8693). Where the
    /// provider's `tokensByResource` is `entra`, the token is an assertion (RFC 7523 section 2.1).
    ///
    /// The result stays in memory, for as long as both tokens are good, and is requested once for all callers. Check `token`
    /// before: what is exchanged here is only what its server accepts. No account is read, chosen or made active.
    /// - Parameters:
    ///   - token: the access token of the request.
    ///   - provider: the name of the provider whose server exchanges it: of the type `workload`, `openid-connect` or `oauth2`.
    ///   - scopes: the scopes that the new token must have.
    ///   - resource: the identifier of the API; `nil` leaves it to the provider's settings and its server.
    ///   - actor: an access token that says who acts for the sender (RFC 8693 section 2.1); `nil` for none.
    ///   - rejectedToken: a token that the API has just refused with 401; `nil` for the one in memory.
    /// - Throws: ``/IdentityCore/ChainUsageError/unknownProvider(_:known:namedBy:)``, ``ClientError/cannotDelegate(_:)``,
    ///   ``/IdentityCore/MalformedTokenError``, otherwise what the provider throws.
    public func accessToken(
        onBehalfOf token: String, from provider: String, scopes: Set<String> = [], resource: String? = nil,
        actor: String? = nil, replacing rejectedToken: String? = nil
    ) async throws -> String {
        guard let link = links.first(where: { $0.name == provider }) else {
            throw ChainUsageError.unknownProvider(provider, known: links.map(\.name))
        }
        guard let delegating = link.provider as? any TokenDelegating else { throw ClientError.cannotDelegate(provider) }
        let (subject, actor) = (Secret(try token.asToken()), try actor.map { Secret(try $0.asToken()) })
        return try await ProviderFailure.classifying {
            try await delegating.accessToken(
                onBehalfOf: subject, actor: actor, scopes: scopes, resource: resource, replacing: rejectedToken)
        }.asToken()
    }
}
