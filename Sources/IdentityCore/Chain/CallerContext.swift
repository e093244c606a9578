/// The arguments of every lookup and sign-in at an ``AccountProvider``: the scopes that the caller needs, and its
/// device.
public struct CallerContext: Hashable, Sendable {
    /// The OAuth scopes that the account's token has to cover; empty when the caller needs no particular scope.
    public let scopes: Set<String>
    /// An identifier unique to this physical device; empty when the caller has none.
    public let deviceToken: String

    /// Creates a context from arguments that the methods of ``IdentityProvider`` take separately.
    public init(scopes: Set<String> = [], deviceToken: String = "") {
        (self.scopes, self.deviceToken) = (scopes, deviceToken)
    }
}
