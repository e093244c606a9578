/// The arguments of ``/IdentityCore/IdentityProvider`` as one value.
struct RequestContext: Hashable, Sendable {
    let scopes: Set<String>
    /// An identifier unique to this physical device.
    let deviceToken: String
}
