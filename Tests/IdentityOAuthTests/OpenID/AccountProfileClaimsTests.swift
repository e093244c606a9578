import Foundation
import IdentityKit
import IdentityOAuth
import Testing

@Suite("A profile out of the standard claims (OpenID Connect Core section 5.1)")
struct AccountProfileClaimsTests {
    @Test("name, e-mail address, user name and picture")
    func all() {
        let profile = AccountProfile(claims: [
            "name": " Ada Lovelace ", "given_name": "A.", "email": "ada@example.org", "preferred_username": "ada",
            "picture": "https://id.example/ada.png", "sub": "1",
        ])
        #expect(
            profile
                == AccountProfile(
                    displayName: "Ada Lovelace", email: "ada@example.org", username: "ada",
                    picture: URL(string: "https://id.example/ada.png")))
    }

    @Test("an address that the server has not verified")
    func unverified() {
        for (claim, isUnverified) in [
            (nil, false), (true, false), ("true", false), (.null, false), (false, true), ("false", true),
        ] as [(JSONValue?, Bool)] {
            var claims: [String: JSONValue] = ["email": "ada@example.org"]
            claims["email_verified"] = claim
            #expect(AccountProfile(claims: claims)?.isEmailUnverified == isUnverified, "\(claims)")
        }
        #expect(AccountProfile(claims: ["email_verified": false]) == nil)
    }

    @Test("without a name, the parts of one")
    func parts() {
        #expect(AccountProfile(claims: ["given_name": "Ada", "family_name": "King"])?.displayName == "Ada King")
        #expect(AccountProfile(claims: ["family_name": "King"])?.displayName == "King")
        // The joiner belongs to how the name is written.
        #expect(AccountProfile(claims: ["name": "علی\u{200C}رضا"])?.displayName == "علی\u{200C}رضا")
    }

    @Test(
        "what is no line of text and no web address counts as unknown",
        arguments: [
            [:], ["sub": "1"], ["name": ""], ["name": "  "], ["name": 7], ["name": "Ada\nLovelace"],
            ["name": "Ada\u{1B}[2J"], ["name": "Ada\u{202E}"], ["name": "Ada\u{2028}"],
            ["name": .string(String(repeating: "a", count: 321))], ["picture": "javascript:alert(1)"],
            ["picture": "file:///etc/passwd"], ["picture": "ada.png"], ["email": .null],
        ] as [[String: JSONValue]])
    func unknown(claims: [String: JSONValue]) {
        #expect(AccountProfile(claims: claims) == nil)
    }
}
