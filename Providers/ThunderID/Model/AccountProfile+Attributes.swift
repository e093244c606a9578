import IdentityKit

extension AccountProfile {
    /// Creates a profile from OpenID Connect claims, ThunderID's attributes or SCIM's attributes. Most of their names are the
    /// same. The result is `nil` if none of the values can be used.
    init?(attributes: [String: JSONValue]) {
        var claims = attributes
        func alias(_ claim: String, _ names: String...) {
            guard claims[claim]?.stringValue == nil else { return }
            claims[claim] = names.lazy.compactMap { attributes[$0] }.first { $0.stringValue?.isEmpty == false }
        }
        // The attribute `username` takes precedence over the claim `preferred_username`.
        if attributes["username"]?.stringValue?.isEmpty == false { claims["preferred_username"] = nil }
        alias("preferred_username", "username", "userName")
        alias("name", "displayName")
        alias("picture", "profilePicture")
        self.init(claims: claims)
    }

    /// Whether display name, e-mail address and user name are all known. The picture does not matter.
    var namesPerson: Bool { displayName != nil && email != nil && username != nil }
}
