import Foundation
import IdentityKit

/// What a restart must not lose: tokens and sessions. Flows, codes and messages in progress are not saved.
struct ThunderIDState: Codable, Sendable {
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

extension ThunderIDBackend: RevokingBackend {
    var revocable: any RevocableTokens { families }
    var publicAddress: String { issuer }
    var site: String { GatePage.site }
    var discoveryPath: String { "/.well-known/openid-configuration" }
    var shownClients: [any EditableClient]? { applications.all }
    var revokesFamilyOnReplay: Bool { configuration.revokesFamilyOnReplay }

    func owner(ofFamily id: String) -> (client: String, person: String)? {
        ledger.entries.last { $0.family == id }.map { ($0.client, $0.person) }
    }

    func response(to request: LocalRequest) -> LocalResponse {
        ThunderIDRouter(backend: self).response(to: request)
    }

    func state() throws -> ThunderIDState {
        let now = Int64(time.now.timeIntervalSince1970)
        return ThunderIDState(
            keys: try keyRing.saved, users: users.saved, families: families.saved, attributes: tokens.savedCache,
            tokens: ledger.entries.filter { now < $0.expiresAt }, sessions: sessions.saved, passkeys: passkeys.saved,
            consents: consents.saved, applications: applications.saved)
    }
}
