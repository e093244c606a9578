import Foundation
import IdentityKit
import Testing

/// What a person is called, and what else they are known by.
@Suite struct AccountProfileTests {
    @Test("The label is the first of name, e-mail address and user name, and the details are the others, each once")
    func labelAndDetails() {
        let whole = AccountProfile(displayName: "Ada Lovelace", email: "ada@example.com", username: "ada")
        #expect(whole.label == "Ada Lovelace" && whole.details == ["ada@example.com", "ada"])
        let nameless = AccountProfile(displayName: "", email: "ada@example.com", username: "ada")
        #expect(nameless.label == "ada@example.com" && nameless.details == ["ada"])
        let short = AccountProfile(username: "ada")
        #expect(short.label == "ada" && short.details.isEmpty)
        let same = AccountProfile(displayName: "Ada", email: "ada@example.com", username: "ada@example.com")
        #expect(same.details == ["ada@example.com"])
        #expect(AccountProfile().label == nil && AccountProfile().details.isEmpty)
    }

    @Test("An address that is not verified is no name, and stays so until another one comes")
    func unverified() throws {
        var typed = AccountProfile(email: "ada@example.com", username: "ada")
        typed.isEmailUnverified = true
        #expect(typed.names == ["ada"] && !typed.isCalled("ada@example.com") && typed.isCalled("ADA"))
        let stored = try JSONDecoder().decode(AccountProfile.self, from: JSONEncoder().encode(typed))
        #expect(stored == typed && AccountProfile(displayName: "Ada").completed(with: stored).isEmailUnverified)
        let verified = AccountProfile(email: "ada@example.com")
        #expect(verified.completed(with: typed).isCalled("ada@example.com"))
        #expect(!typed.completed(with: verified).isCalled("ada@example.com"))
        let old = try JSONDecoder().decode(AccountProfile.self, from: Data(#"{"email": "ada@example.com"}"#.utf8))
        #expect(old == verified && old.isCalled("ADA@example.com"))
    }
}
