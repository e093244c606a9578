import Crypto
import Foundation
import IdentityKit
import IdentityOAuth

/// A browser that is signed in, as its cookie keeps it.
struct BrowserSession: Codable, Sendable {
    let account: AccountID
    /// Random, and of this sign-in alone.
    let identifier: String

    /// What the server keeps of the identifier: who reads the store cannot make a cookie of it.
    fileprivate var digest: String { Base64URL.encode(SHA256.hash(data: Data(identifier.utf8))) }
}

/// Which browsers are signed in. They are kept in the store of the tokens, so that every machine knows them, and a cookie
/// that somebody has copied ends with the session of its browser.
struct BrowserSessions: Sendable {
    let store: any TokenStore
    /// Hides the accounts in the names of the records.
    let key: SymmetricKey

    /// How long a browser stays signed in, in seconds.
    static let lifetime = 8 * 3600

    func begin(for account: AccountID) async throws -> BrowserSession {
        let identifier = Base64URL.encode(try RandomSource.system.bytes(32))
        let session = BrowserSession(account: account, identifier: identifier)
        try await change(account) { $0[session.digest] = Date() + TimeInterval(Self.lifetime) }
        return session
    }

    func isOpen(_ session: BrowserSession) async throws -> Bool {
        open(in: try await store.record(for: key(of: session.account)))[session.digest] != nil
    }

    /// Ends the session of one browser.
    /// - Returns: whether another browser of the account is still signed in.
    func end(_ session: BrowserSession) async throws -> Bool {
        try await change(session.account) { $0[session.digest] = nil }
    }

    /// Ends the sessions of all browsers of an account.
    func endAll(of account: AccountID) async throws {
        try await change(account) { $0 = [:] }
    }

    /// One record for each account, so that what has ended leaves nothing behind: digests, and when their sessions end.
    @discardableResult
    private func change(_ account: AccountID, _ change: (inout [String: Date]) -> Void) async throws -> Bool {
        while true {
            let record = try await store.record(for: key(of: account))
            var sessions = open(in: record)
            change(&sessions)
            let content = sessions.isEmpty ? nil : try JSONEncoder().encode(sessions)
            do {
                try await store.write(content, for: key(of: account), replacing: record?.generation ?? 0)
                return !sessions.isEmpty
            } catch TokenStoreError.conflict {
                // Another browser of the account came first, maybe at another machine.
                try Task.checkCancellation()
            }
        }
    }

    private func open(in record: StoreRecord?) -> [String: Date] {
        let sessions = record?.content.flatMap { try? JSONDecoder().decode([String: Date].self, from: $0) } ?? [:]
        return sessions.filter { $0.value > Date() }
    }

    private func key(of account: AccountID) -> StoreKey {
        let code = HMAC<SHA256>.authenticationCode(for: Data(account.id.utf8), using: key)
        return StoreKey(.init(rawValue: "browser-sessions"), Base64URL.encode(code))
    }
}
