import Foundation
import IdentityKit

extension ThunderIDClient.User {
    /// The name, address and picture of the user, as every view shows them. The name is the given and the family name,
    /// else ``displayName``, else ``username``; a display name may be a user name.
    public var profile: AccountProfile {
        func claim(_ name: String) -> String? { Self.shown(claims?[name]?.json.stringValue) }
        let wholeName = claim("given_name").flatMap { given in claim("family_name").map { "\(given) \($0)" } }
        return AccountProfile(
            displayName: wholeName ?? Self.shown(displayName) ?? Self.shown(username), email: Self.shown(email),
            username: Self.shown(username), picture: profilePicture.flatMap(URL.init(string:)))
    }

    static func shown(_ text: String?) -> String? {
        (text?.trimmingCharacters(in: .whitespacesAndNewlines)).nonEmpty
    }
}
