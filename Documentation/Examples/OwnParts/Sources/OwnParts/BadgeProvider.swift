import Foundation
import IdentityKit

/// A token that another program renews, such as a badge reader: there is no session, and nothing to sign in to.
public struct BadgeProvider: SessionProvider {
    let account: AccountID
    let read: @Sendable () async throws -> Secret?

    public init(account: AccountID, read: @escaping @Sendable () async throws -> Secret?) {
        (self.account, self.read) = (account, read)
    }

    public var mayShowSignIn: Bool { false }
    public var realms: Set<String> { [account.realm] }

    public func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        try await read() == nil ? .absent(.notConfigured("there is no badge")) : .found(account)
    }

    public func signIn(in context: CallerContext) async throws -> AccountID? {
        try await silentAccount(in: context).account
    }

    public func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        guard accountID == account, let token = try await read() else { throw SessionError.notSignedIn(accountID) }
        return token.reveal()
    }

    public func requestAuthorization(for accountID: AccountID, scopes: Set<String>, deviceToken: String) async throws
        -> Data?
    {
        Data(try await accessToken(for: accountID, scopes: scopes).utf8)
    }

    public func signOut(_ accountID: AccountID) async throws {}
}
