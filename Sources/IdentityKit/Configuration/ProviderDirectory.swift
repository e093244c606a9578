/// A provider whose server can issue assertions about its accounts for other authorization servers.
package protocol IdentityAsserting: AnyObject, Sendable {
    /// Requests an Identity Assertion JWT Authorization Grant from the provider's server. Another authorization server
    /// exchanges the grant for an access token. Each call requests a new grant.
    /// - Parameters:
    ///   - account: the identifier of the account; `nil` for the account that the provider finds silently.
    ///   - audience: the issuer identifier of the other authorization server.
    ///   - resource: the resource for which the other authorization server issues tokens; `nil` to name none.
    ///   - scopes: the scopes of the tokens that the other authorization server issues.
    /// - Throws: ``/IdentityCore/SessionError``, or the provider's error.
    func assertion(
        of account: String?, to audience: String, for resource: String?, scopes: [String]
    ) async throws -> Secret
}

/// The providers of a configuration that can issue assertions, by name. A provider that gets its tokens with an assertion
/// finds the issuing provider here. The directory holds the providers weakly.
package final class ProviderDirectory: Sendable {
    private struct Entry: Sendable {
        weak var provider: (any IdentityAsserting)?
    }

    private let entries = Locked<[String: Entry]>([:])

    func register(_ provider: (any IdentityProvider)?, as name: String) {
        let entry = (provider as? any IdentityAsserting).map { Entry(provider: $0) }
        entries.withLock { $0[name] = entry }
    }

    /// The provider called `name`; `nil` if there is none, if it is no ``IdentityAsserting``, or if it no longer exists.
    package func provider(_ name: String) -> (any IdentityAsserting)? { entries.withLock { $0[name]?.provider } }
}
