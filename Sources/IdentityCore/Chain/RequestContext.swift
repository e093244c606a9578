/// The arguments of ``IdentityProvider`` as one value.
package struct RequestContext: Hashable, Sendable {
    package let scopes: Set<String>
    /// An identifier unique to this physical device.
    package let deviceToken: String

    package init(scopes: Set<String>, deviceToken: String) {
        (self.scopes, self.deviceToken) = (scopes, deviceToken)
    }
}
