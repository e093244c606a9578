import Foundation
import IdentityKit

extension ThunderIDClient.User {
    /// The names, e-mail address and picture of the user, as all views show them.
    ///
    /// The display name consists of the claims `given_name` and `family_name`. If one of them is missing, the display
    /// name is ``displayName``, or else ``username``. The claims take precedence, because ``displayName`` may be only
    /// the user name.
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
