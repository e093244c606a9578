import Foundation
import IdentityKit

extension OpenIDBackend: AuthorizationServerBackend {
    /// The state that must survive a restart: keys, tokens, sessions, consents, clients that registered themselves,
    /// users, and changes to clients. All other state is lost, such as open pages, authorization codes and waiting
    /// devices.
    public struct State: Codable, Sendable {
        var keys: KeyRing.Saved
        var tokens: OpenIDTokenRegistry.State
        var sessions: OpenIDSessions.Saved
        var registrations: [OpenIDRegistrations.Saved]
        var users: OpenIDUserDirectory.Saved
        var clients: ClientChanges
    }

    var families: TokenFamilies { tokens.families }
    public var publicAddress: String { issuer }
    /// Counts of events since the start, such as sign-ins and refreshes.
    public var counts: LocalOpenIDConnectServer.Counters { counters.withLock { $0 } }
    var site: String { OpenIDPage.site }
    var discoveryPath: String { OpenIDEndpoints.openIDConfiguration }
    var revokesFamilyOnReplay: Bool { configuration.revokesFamilyOnReplay }

    func owner(ofFamily id: String) -> (client: String, person: String)? {
        tokens.grants.first { $0.id == id }.map { ($0.clientID, $0.subject) }
    }

    /// Returns the state to save for the next start.
    /// - Throws: an error if the cryptography library cannot export a private key.
    public func state() throws -> State {
        State(
            keys: try keyRing.ring.saved, tokens: tokens.saved, sessions: sessions.saved,
            registrations: registrations.saved,
            users: users.saved, clients: clients.saved)
    }

    /// The users, flows, tokens and token events for the dashboard. Of the completed flows, only the latest 100 are included.
    public var report: LocalServerReport {
        LocalServerReport(
            people: users.all.map { record in
                let user = record.user
                return LocalServerReport.Person(
                    id: user.id, name: user.username, email: user.profile.email, profile: user.profile,
                    remark: record.isActive ? nil : "disabled")
            },
            flows: waiting + tokens.grants.prefix(100).map(finished),
            tokens: tokens.report.map { token in
                var token = token
                token.person = name(token.person)
                return token
            }
        ).withEvents(of: journal, at: time.now, name: name)
    }

    func endEverything(ofUser id: String) {
        revokeFamilies(ofUser: id)
        sessions.end(ofUser: id)
    }

    func profile(ofUser id: String) -> AccountProfile { user(id)?.profile ?? AccountProfile(username: id) }

    private func name(_ id: String) -> String { profile(ofUser: id).label ?? id }

    private var waiting: [LocalServerReport.Flow] {
        let pages = interactions.waiting.filter { !$0.isAnswered }.map { interaction in
            LocalServerReport.Flow(
                id: "", kind: "sign-in", client: interaction.request.client.id,
                person: interaction.session.map { name($0.userID) }, state: .inProgress,
                detail: interaction.session == nil ? "asks for the password" : "asks for consent")
        }
        let devices = devices.waiting.map { device in
            LocalServerReport.Flow(
                id: "", kind: "device", client: device.clientID, state: .inProgress,
                detail: "waits for the code \(device.userCode.prefix(4))-\(device.userCode.suffix(4))")
        }
        return pages + devices
    }

    private func finished(_ grant: OpenIDGrant) -> LocalServerReport.Flow {
        LocalServerReport.Flow(
            id: grant.id, kind: grant.authenticatedAt == nil ? "client" : "sign-in", client: grant.clientID,
            person: name(grant.subject), state: .completed, detail: grant.scopes.joined(separator: " "))
    }
}

extension LocalOpenIDConnectServer.User {
    var profile: AccountProfile {
        AccountProfile(
            displayName: claims["name"]?.stringValue, email: claims["email"]?.stringValue, username: username)
    }
}
