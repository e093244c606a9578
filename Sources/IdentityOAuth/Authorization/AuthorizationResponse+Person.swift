import Foundation
import IdentityKit

extension AuthorizationResponse {
    /// The person's name and e-mail address from the parameter `user`, which Apple adds to the response of the first
    /// sign-in. `nil` if the response has no such parameter, or if the parameter has neither a usable name nor a usable
    /// address.
    ///
    /// The parameter is a JSON object with the members `email` and `name`; `name` has the members `firstName` and `lastName`.
    /// The parameter passes through the browser without a signature, so the person can change it. Use it only for display,
    /// never to identify the person or to select an account.
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
