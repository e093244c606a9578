import IdentityKit
import IdentityTerminal

struct AccountResult: Codable, Sendable {
    private let account: String
    private let provider: String
    private let profile: AccountProfile?

    init(_ account: AccountID, profile: AccountProfile?) {
        (self.account, provider, self.profile) = (account.id, account.realm, profile)
    }

    var inWords: String { AccountID(id: account)?.inWords(profile) ?? account }

    func print(_ output: OutputOptions, on terminal: Terminal) throws {
        try output.json ? terminal.json(self) : terminal.line(inWords)
    }
}
