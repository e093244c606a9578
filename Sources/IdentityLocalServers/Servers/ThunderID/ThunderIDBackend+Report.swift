import Foundation
import IdentityKit

extension ThunderIDBackend {
    /// The users, flows, tokens and messages that the dashboard shows. Of tokens and messages, the newest is first.
    public var report: LocalServerReport {
        let names = Dictionary(users.all.map { ($0.id, $0.profile.label ?? $0.id) }) { first, _ in first }
        func name(_ id: String) -> String { names[id] ?? id }
        // The ledger entry of an assertion names the application by its identifier, but the entry of any other token names it
        // by its OAuth client identifier.
        let clientIDs = Dictionary(clients.all.map { ($0.id, $0.clientID) }) { first, _ in first }
        func client(_ id: String) -> String { clientIDs[id] ?? id }
        return LocalServerReport(
            people: users.all.map { user in
                LocalServerReport.Person(
                    id: user.id, name: user.username, email: user.profile.email,
                    profile: user.profile, remark: user.isActive ? nil : "inactive")
            },
            flows: flows.report.map { flow in
                var flow = flow
                flow.person = flow.person.map(name)
                return flow
            },
            tokens: ledger.entries.reversed().map { entry in
                LocalServerReport.Token(
                    kind: entry.kind, client: client(entry.client), person: name(entry.person),
                    personID: entry.person,
                    issuedAt: Date(timeIntervalSince1970: TimeInterval(entry.issuedAt)),
                    expiresAt: Date(timeIntervalSince1970: TimeInterval(entry.expiresAt)), family: entry.family,
                    state: worth(of: entry))
            },
            messages: outbox.messages.reversed().map(\.report)
        ).withEvents(of: journal, at: time.now, name: name)
    }

    private func worth(of entry: ThunderIDTokenLedger.Entry) -> LocalServerReport.Token.State {
        if Int64(time.now.timeIntervalSince1970) > entry.expiresAt { return .expired }
        return families.worth(ofToken: entry.id, family: entry.family)
    }
}

extension ThunderIDUser {
    /// The user's profile as an app displays it. Without the attribute `name`, the display name consists of the given name
    /// and the family name.
    var profile: AccountProfile {
        let parts = ["given_name", "family_name"].compactMap { attributes[$0]?.stringValue.nonEmpty }
        return AccountProfile(
            displayName: attributes["name"]?.stringValue.nonEmpty ?? parts.joined(separator: " "),
            email: attributes["email"]?.stringValue, username: username)
    }
}

extension LocalThunderIDServer.Message {
    fileprivate var report: LocalServerReport.Message {
        let purpose =
            switch self.purpose {
            case .oneTimeCode: "one-time code"
            case .magicLink: "magic link"
            case .recovery: "recovery"
            case .invitation: "invitation"
            case .signInRequest: "sign-in request"
            }
        return LocalServerReport.Message(
            recipient: recipient, purpose: purpose, code: self.purpose == .oneTimeCode ? secret.reveal() : nil,
            link: link?.absoluteString)
    }
}
