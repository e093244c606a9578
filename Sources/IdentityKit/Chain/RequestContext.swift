/// The arguments of ``/IdentityCore/IdentityProvider`` as one value.
struct RequestContext: Hashable, Sendable {
    /// The OAuth scopes that are needed.
    let scopes: Set<String>
    /// An identifier unique to this physical device.
    let deviceToken: String
}
