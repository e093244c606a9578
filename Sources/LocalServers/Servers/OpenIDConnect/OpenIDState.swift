import Foundation
import IdentityKit

/// What a restart must not lose: tokens, sessions, and clients that registered themselves. Other clients and users come from
/// the configuration; open pages, codes and devices in progress are not saved.
struct OpenIDState: Codable, Sendable {
    var keys: OpenIDKeyRing.Saved
    var tokens: OpenIDTokenRegistry.State
    var sessions: OpenIDSessions.Saved
    /// `nil` in what an earlier version saved.
    var registrations: [OpenIDRegistrations.Saved]?
}

extension OpenIDBackend: RevokingBackend {
    var revocable: any RevocableTokens { tokens }
    var revokesFamilyOnReplay: Bool { configuration.revokesFamilyOnReplay }

    func response(to request: LocalRequest) -> LocalResponse {
        OpenIDRouter(backend: self).response(to: request)
    }

    func state() throws -> OpenIDState {
        OpenIDState(
            keys: try keyRing.saved, tokens: tokens.saved, sessions: sessions.saved, registrations: registrations.saved)
    }

    var report: LocalServerReport {
        LocalServerReport(
            people: configuration.users.map { user in
                LocalServerReport.Person(id: user.id, name: user.username, email: user.claims["email"]?.stringValue)
            },
            flows: waiting + tokens.grants.prefix(100).map(finished),
            tokens: tokens.report.map { token in
                var token = token
                token.person = name(token.person)
                return token
            })
    }

    private func name(_ id: String) -> String { user(id)?.username ?? id }

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
