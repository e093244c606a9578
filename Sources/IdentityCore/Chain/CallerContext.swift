/// The arguments of every lookup and sign-in at an ``AccountProvider``: the scopes that the caller needs, and its
/// device.
public struct CallerContext: Hashable, Sendable {
    /// The OAuth scopes that the account's token has to cover; empty for any.
    public let scopes: Set<String>
    /// An identifier unique to this physical device.
    public let deviceToken: String

    /// Makes the context of a call from the arguments of ``IdentityProvider``.
    public init(scopes: Set<String>, deviceToken: String) {
        (self.scopes, self.deviceToken) = (scopes, deviceToken)
    }
}
