import Foundation

/// A provider whose server exchanges tokens that others sent to this program.
package protocol TokenDelegating: Sendable {
    /// A token on behalf of whoever sent `token`.
    /// - Parameter isProven: whether the caller can prove the key of a token that is bound to one.
    /// - Throws: the provider's error.
    func credential(
        onBehalfOf token: Secret, actor: Secret?, scopes: Set<String>, resource: String?, replacing rejected: String?,
        isProven: Bool
    ) async throws -> Credential

    /// Adds the token of `credential` to `request`.
    /// - Throws: the provider's error.
    func authorize(_ request: URLRequest, with credential: Credential) async throws -> URLRequest
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
        let delegating = try delegating(provider)
        let (subject, actor) = (Secret(try token.asToken()), try actor.map { Secret(try $0.asToken()) })
        return try await ProviderError.classifying {
            try await delegating.credential(
                onBehalfOf: subject, actor: actor, scopes: scopes, resource: resource, replacing: rejectedToken,
                isProven: false)
        }.accessToken.reveal().asToken()
    }

    /// Adds an access token for another API to `request`, on behalf of whoever sent a request with `token` to this
    /// program; see ``accessToken(onBehalfOf:from:scopes:resource:actor:replacing:)``. Where the provider binds tokens
    /// to a key (RFC 9449), the request proves possession of that key, which this program keeps in memory.
    /// - Throws: as that method, ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine, and
    ///   ``ClientError/notDestination(_:host:)`` for an address that the provider does not name in `sendsTo`.
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
        guard let link = links.first(where: { $0.name == provider }) else {
            throw ChainUsageError.unknownProvider(provider, known: links.map(\.name))
        }
        guard let delegating = link.provider as? any TokenDelegating else { throw ClientError.cannotDelegate(provider) }
        return delegating
    }
}
