import Foundation
import IdentityKit
import Testing

@Suite struct AccountIDTests {
    @Test(
        "An id reads back as the same account",
        arguments: [("ada", "work"), ("a/b", "c"), ("a", "b/c"), ("100%", "%2F"), ("ユーザー", "家"), ("a@b.example", "x")])
    func roundTrip(account: String, realm: String) {
        let original = AccountID(account: account, realm: realm)
        #expect(AccountID(id: original.id) == original)
    }

    @Test("Different accounts never share an id")
    func idsAreUnambiguous() {
        #expect(AccountID(account: "b/c", realm: "a").id != AccountID(account: "c", realm: "a/b").id)
    }

    @Test("A text that is no id is refused", arguments: ["", "ada", "/", "a/", "/b", "a/b/c", "%/a"])
    func refusesOtherTexts(id: String) {
        #expect(AccountID(id: id) == nil)
    }

    @Test("An account survives coding")
    func codable() throws {
        let account = AccountID(account: "ada", realm: "work")
        #expect(try JSONDecoder().decode(AccountID.self, from: JSONEncoder().encode(account)) == account)
    }
}
