/// A provider whose server can vouch for its accounts at other authorization servers.
package protocol IdentityAsserting: AnyObject, Sendable {
    /// Requests a token by which the provider's server vouches for an account at another authorization server, for a
    /// single use.
    /// - Parameters:
    ///   - account: the account; `nil` for the one that the provider finds silently.
    ///   - audience: the issuer identifier of the other server.
    ///   - resource: the resource that the tokens of the other server are for.
    ///   - scopes: the scopes to request there.
    /// - Throws: ``/IdentityCore/SessionError``, or the provider's error.
    func assertion(
        of account: String?, to audience: String, for resource: String?, scopes: [String]
    ) async throws -> Secret
}

/// The providers of a configuration by name, for a provider that acts as an account of another. Holds them weakly.
package final class ProviderDirectory: Sendable {
    private struct Entry: Sendable {
        weak var provider: (any IdentityAsserting)?
    }

    private let entries = Locked<[String: Entry]>([:])

    func register(_ provider: (any IdentityProvider)?, as name: String) {
        let entry = (provider as? any IdentityAsserting).map { Entry(provider: $0) }
        entries.withLock { $0[name] = entry }
    }

    /// The provider called `name`; `nil` unless its server can vouch for its accounts.
    package func provider(_ name: String) -> (any IdentityAsserting)? { entries.withLock { $0[name]?.provider } }
}
