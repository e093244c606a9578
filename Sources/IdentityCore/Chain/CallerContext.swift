/// The scopes that a caller needs, and the device that it runs on: what an ``AccountProvider`` is asked with.
public struct CallerContext: Hashable, Sendable {
    /// The OAuth scopes.
    public let scopes: Set<String>
    /// An identifier unique to this physical device.
    public let deviceToken: String

    /// Scopes and a device.
    public init(scopes: Set<String>, deviceToken: String) {
        (self.scopes, self.deviceToken) = (scopes, deviceToken)
    }
}
