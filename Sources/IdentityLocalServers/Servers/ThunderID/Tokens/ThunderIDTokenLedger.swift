import IdentityKit

/// The latest 500 tokens that the server issued, without their values. Tokens of administrators and signed userinfo
/// responses are not recorded.
final class ThunderIDTokenLedger: Sendable {
    struct Subject: Sendable {
        let kind: LocalServerReport.Token.Kind
        let client: String
        let person: String
        let family: String?

        init(_ kind: LocalServerReport.Token.Kind, client: String, person: String) {
            (self.kind, self.client, self.person) = (kind, client, person)
            family = nil
        }

        init(_ kind: LocalServerReport.Token.Kind, _ grant: TokenGrant) {
            (self.kind, client, person) = (kind, grant.application.clientID, grant.userID)
            family = grant.familyID
        }
    }

    struct Entry: Codable, Sendable {
        let kind: LocalServerReport.Token.Kind
        let client: String
        let person: String
        let family: String?
        let id: String
        let issuedAt: Int64
        let expiresAt: Int64
    }

    private let kept: Locked<Recent<Entry>>

    /// - Parameter saved: the entries of an earlier run of the server, oldest first; `nil` for none.
    init(restoring saved: [Entry]? = nil) { kept = Locked(Recent(500, saved ?? [])) }

    var entries: [Entry] { kept.withLock { $0.values } }

    func note(_ subject: Subject, id: String, issuedAt: Int64, expiresAt: Int64) {
        let entry = Entry(
            kind: subject.kind, client: subject.client, person: subject.person, family: subject.family, id: id,
            issuedAt: issuedAt, expiresAt: expiresAt)
        kept.withLock { $0.append(entry) }
    }
}
