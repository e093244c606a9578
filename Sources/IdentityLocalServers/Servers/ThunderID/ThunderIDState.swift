import Foundation
import IdentityKit

extension ThunderIDBackend: AuthorizationServerBackend {
    /// The state that survives a restart: keys, users, tokens, sessions, passkeys, consents and changed applications. Flows in
    /// progress, authorization codes and messages are not saved.
    public struct State: Codable, Sendable {
        var keys: ThunderIDKeyRing.Saved
        var users: ThunderIDUserDirectory.Saved
        var families: TokenFamilies.State
        var attributes: [String: ThunderIDTokenService.CachedAttributes]
        var tokens: [ThunderIDTokenLedger.Entry]
        var sessions: [String: SingleSignOnSessions.Session]
        var passkeys: [PasskeyRegistry.Record]
        var consents: [ConsentRecords.Record]
        var applications: ClientChanges
    }

    public var publicAddress: String { issuer }
    /// Counts of issued authorization codes, refreshes, replays and revoked token families since the server was
    /// started.
    public var counts: LocalThunderIDServer.Counters { counters.withLock { $0 } }
    var site: String { GatePage.site }
    var discoveryPath: String { "/.well-known/openid-configuration" }
    var revokesFamilyOnReplay: Bool { configuration.revokesFamilyOnReplay }

    func owner(ofFamily id: String) -> (client: String, person: String)? {
        ledger.entries.last { $0.family == id }.map { ($0.client, $0.person) }
    }

    /// Returns the state to save for the next run of the server, without expired tokens.
    /// - Throws: an error if a private key cannot be exported.
    public func state() throws -> State {
        let now = Int64(time.now.timeIntervalSince1970)
        return State(
            keys: try keyRing.saved, users: users.saved, families: families.saved, attributes: tokens.savedCache,
            tokens: ledger.entries.filter { now < $0.expiresAt }, sessions: sessions.saved, passkeys: passkeys.saved,
            consents: consents.saved, applications: clients.saved)
    }
}
