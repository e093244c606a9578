import Foundation
import IdentityCore
import Testing

@Suite struct AccountIDTests {
    @Test(
        "An id reads back as the same account",
        arguments: [
            ("ada", "work"), ("a/b", "c"), ("a", "b/c"), ("100%", "%2F"), ("ユーザー", "家"), ("a@b.example", "x"),
            // A character that joins the one before it.
            ("\u{338}ada", "work"), ("a/\u{338}b", "c/\u{338}"), ("a%\u{338}", "c"),
        ])
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

    /// One letter in two Unicode normal forms.
    private static let spellings = ["jos\u{E9}", "jose\u{301}"]

    @Test("Two accounts whose identifiers differ in the normal form alone are two accounts")
    func normalForms() {
        #expect(Self.spellings[0] == Self.spellings[1])
        let accounts = Self.spellings.map { AccountID(account: $0, realm: "work") }
        #expect(accounts[0] != accounts[1])
        #expect(Set(accounts).count == 2)
        #expect(accounts[1] < accounts[0] && !(accounts[0] < accounts[1]))
        let realms = Self.spellings.map { AccountID(account: "ada", realm: $0) }
        #expect(realms[0] != realms[1] && realms[1] < realms[0])
        // Where one part ends counts.
        #expect(AccountID(account: "ab", realm: "c") != AccountID(account: "a", realm: "bc"))
    }
}
