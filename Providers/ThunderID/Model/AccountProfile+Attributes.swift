import IdentityKit

extension AccountProfile {
    /// How people know an account, out of claims, of ThunderID's attributes, which have much the same names, or of
    /// SCIM's; `nil` when they name nothing.
    init?(attributes: [String: JSONValue]) {
        var claims = attributes
        func alias(_ claim: String, _ names: String...) {
            guard claims[claim]?.stringValue == nil else { return }
            claims[claim] = names.lazy.compactMap { attributes[$0] }.first { $0.stringValue?.isEmpty == false }
        }
        // The user name is not the preferred name.
        if attributes["username"]?.stringValue?.isEmpty == false { claims["preferred_username"] = nil }
        alias("preferred_username", "username", "userName")
        alias("name", "displayName")
        alias("picture", "profilePicture")
        self.init(claims: claims)
    }

    /// Whether nothing is left to ask about the person's names. A picture is no name.
    var namesPerson: Bool { displayName != nil && email != nil && username != nil }
}
