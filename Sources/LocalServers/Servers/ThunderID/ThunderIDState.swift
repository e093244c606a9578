import Foundation
import IdentityKit

/// What a restart must not lose: whoever has a token or a session keeps it. Flows, codes and messages on their way are
/// not in it.
struct ThunderIDState: Codable, Sendable {
    var keys: ThunderIDKeyRing.Saved
    var users: ThunderIDUserDirectory.Saved
    var families: TokenFamilies.State
    var attributes: [String: ThunderIDTokenService.CachedAttributes]
    var tokens: [ThunderIDTokenLedger.Entry]
    var sessions: [String: SingleSignOnSessions.Session]
    var passkeys: [PasskeyRegistry.Record]
    var consents: [ConsentRecords.Record]
}

extension ThunderIDBackend {
    /// The state as it is now.
    /// - Throws: when the system keeps a key to itself.
    func state() throws -> ThunderIDState {
        let now = Int64(time.now.timeIntervalSince1970)
        return ThunderIDState(
            keys: try keyRing.saved, users: users.saved, families: families.saved, attributes: tokens.savedCache,
            tokens: ledger.entries.filter { now < $0.expiresAt }, sessions: sessions.saved, passkeys: passkeys.saved,
            consents: consents.saved)
    }
}
