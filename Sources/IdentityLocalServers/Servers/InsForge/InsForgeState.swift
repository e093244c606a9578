import Foundation
import IdentityKit

extension InsForgeBackend: ServerBackend {
    /// The state that survives a restart: the secret, the signing keys, the anonymous keys, the used refresh tokens and
    /// the users. Codes, mails, and rules that changed at run time are lost.
    public struct State: Codable, Sendable {
        var tokens: InsForgeTokenService.Saved
        var anonKeys: InsForgeAnonKeys.State
        var users: InsForgeUserDirectory.Saved
    }

    /// The address at which the server listens, because no proxy is in front of it.
    public var publicAddress: String { origin }
    /// Counts of sign-ins, code exchanges and refreshes since the server's start or its last reset.
    public var counts: LocalInsForgeServer.Counters { counters.withLock { $0 } }
    var site: String { InsForgePage.site }
    var discoveryPath: String { "/api/auth/public-config" }
    var shownClients: [any EditableClient]? { nil }

    /// The state to save for the next start.
    /// - Throws: when the system does not return a private key.
    public func state() throws -> State {
        State(tokens: try tokens.saved, anonKeys: anonKeys.saved, users: users.saved)
    }

    /// A report for developers: all users and mails, the last 500 tokens without their values, and the last token events.
    public var report: LocalServerReport {
        let people = users.all
        let names = Dictionary(people.map { ($0.id, $0.shownProfile.label ?? $0.id) }) { first, _ in first }
        return LocalServerReport(
            people: people.map { user in
                LocalServerReport.Person(
                    id: user.id, name: user.email, email: user.email, profile: user.shownProfile,
                    remark: user.emailVerified ? nil : "address not verified")
            },
            tokens: tokens.issuedTokens.suffix(500).reversed().map { token in
                LocalServerReport.Token(
                    kind: token.kind == .access ? .access : .refresh, person: names[token.subject] ?? token.subject,
                    personID: token.subject,
                    issuedAt: token.issuedAt, expiresAt: token.expiresAt, state: worth(of: token))
            },
            messages: mailer.outbox.reversed().map { mail in
                LocalServerReport.Message(
                    recipient: mail.recipient, purpose: mail.purpose.inWords, code: mail.code, link: mail.link)
            }
        ).withEvents(of: journal, at: time.now) { names[$0] ?? $0 }
    }

    /// Returns the state of a token. An access token is good until it expires. A refresh token is no longer good if it
    /// has expired, if it is single-use and was used, or if its user was deleted.
    private func worth(of token: LocalInsForgeServer.IssuedToken) -> LocalServerReport.Token.State {
        if time.now >= token.expiresAt { return .expired }
        guard token.kind == .refresh else { return .good }
        if tokens.isSpent(token.token.reveal()) { return .spent }
        return token.subject.hasPrefix("local:") || users.user(id: token.subject) != nil ? .good : .revoked
    }
}

extension InsForgeUser {
    /// The user's profile as an app displays it.
    var shownProfile: AccountProfile { AccountProfile(displayName: profile["name"]?.stringValue, email: email) }
}

extension LocalInsForgeServer.Mail.Purpose {
    fileprivate var inWords: String {
        switch self {
        case .verifyEmail: "verify the address"
        case .resetPassword: "reset the password"
        case .signIn: "sign in"
        }
    }
}
