import Foundation
import IdentityKit

extension AuthorizationResponse {
    /// Name and e-mail address from the parameter `user` of a posted response: a JSON object with `name`, of `firstName` and
    /// `lastName`, and `email`, as Apple sends it with the first sign-in. `nil` where there is none that can be read.
    ///
    /// The server does not sign this parameter, and it passes through the browser, so the person can change it. Use it
    /// for display only: it identifies nobody and selects no account.
    var personInForm: AccountProfile? {
        guard let user = self["user"], let members = try? StrictJSON.parseObject(Data(user.utf8)) else { return nil }
        let name = members["name"]
        let claims = [
            "given_name": name?["firstName"], "family_name": name?["lastName"], "email": members["email"],
            "email_verified": false,
        ]
        return AccountProfile(claims: claims.compactMapValues { $0 })
    }
}
