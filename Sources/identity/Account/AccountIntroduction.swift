import IdentityKit

/// An account with the name people know it by, as the result of a command.
struct AccountIntroduction: Encodable, Sendable {
    private let account: String
    private let provider: String
    private let profile: AccountProfile?
    /// Both, for people.
    let inWords: String

    private enum CodingKeys: CodingKey {
        case account, provider, profile
    }

    init(_ account: AccountID, profile: AccountProfile?) {
        (self.account, provider, self.profile) = (account.id, account.realm, profile)
        inWords = account.inWords(profile)
    }

    /// The result on standard output.
    func print(_ output: OutputOptions, on terminal: Terminal) throws {
        try output.json ? terminal.json(self) : terminal.line(inWords)
    }
}
