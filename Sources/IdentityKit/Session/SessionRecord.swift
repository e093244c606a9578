import Foundation
import IdentityStoreFormat

/// The content of an account's record: a live session, or the reason why the session ended. An erased record, which has no
/// content, means that the account has signed out.
enum SessionRecord: Encodable {
    case live(Credential)
    case ended(EndedSession)

    private enum CodingKeys: String, CodingKey {
        case credential
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .live(let credential):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(credential, forKey: .credential)
        case .ended(let session): try session.encode(to: encoder)
        }
    }

    /// Reads the content of `record`; `nil` when the record was erased.
    /// - Throws: ``/IdentityCore/TokenStoreError/corrupt(path:detail:)`` when the content does not describe a session.
    init?(_ record: StoreRecord) throws(TokenStoreError) {
        guard let content = record.content else { return nil }
        do {
            guard case .object(let stored) = try JSONValue(reading: content, deepest: JSONNesting.maximum) else {
                throw JSONReader.SyntaxError.malformed
            }
            var members = JSONMembers(stored)
            if let credential = try members.objectIfPresent("credential") {
                var members = JSONMembers(credential)
                self = .live(try Credential(&members))
            } else {
                self = .ended(try EndedSession(&members))
            }
        } catch {
            throw .corrupt(path: record.key.name, detail: "it does not describe a session")
        }
    }

    /// The tokens of a live session; `nil` for a session that has ended.
    var credential: Credential? {
        if case .live(let credential) = self { credential } else { nil }
    }

    /// Returns this new session, numbered by the generation that its record will have: `generation + 1`, where `generation` is
    /// that of the replaced record. An ended session is returned unchanged.
    func numbered(replacing generation: UInt64) -> SessionRecord {
        guard case .live(var credential) = self else { return self }
        credential.sessionNumber = generation + 1
        return .live(credential)
    }

    /// Returns this new session with the further grants of the session in `record`, except for those that the new
    /// authorization covers. If the sessions differ in backend, client or provider type, the new session is returned
    /// unchanged.
    func keepingGrants(of record: StoreRecord) -> SessionRecord {
        guard case .live(var credential) = self, credential.grants.isEmpty,
            let former = try? SessionRecord(record)?.credential, !former.grants.isEmpty,
            former.backend.hasBytes(of: credential.backend), former.clientID.hasBytes(of: credential.clientID),
            former.providerType == credential.providerType
        else { return self }
        credential.grants = former.grants.filter { !credential.covers($0.credential) }
        return .live(credential)
    }

    /// The bytes to store. Those of a live session are at most ``maximumSize``, whatever the server sent.
    /// - Throws: ``/IdentityCore/TokenStoreError/tooLarge(size:limit:)`` when a live session does not fit.
    func encoded() throws -> Data {
        switch self {
        case .live(let credential): try credential.stored()
        case .ended(let session): try session.stored()
        }
    }
}

/// A session that ended without a sign-out. For example, the backend refused its refresh token, or the person withdrew
/// their consent at the vendor that had signed them in.
struct EndedSession: Encodable {
    /// Why the session ended, in sentences that do not ask for a sign-in, because messages add that request.
    var endReason: String
    let signedInAt: Date
    var profile: AccountProfile?
    let backend: String

    init(endReason: String, signedInAt: Date, profile: AccountProfile?, backend: String) {
        self.endReason = endReason.withoutSignInRequest
        self.signedInAt = signedInAt
        self.profile = profile
        self.backend = backend
    }

    init(_ members: inout JSONMembers) throws(JSONMembers.Defect) {
        self.init(
            endReason: try members.text("endReason"), signedInAt: try members.date("signedInAt"),
            profile: try members.objectIfPresent("profile").map { stored throws(JSONMembers.Defect) in
                try AccountProfile(stored: stored)
            }, backend: try members.text("backend"))
    }

    /// Whether the ended session is that of `credential`, or a later one at the same backend.
    func isEnd(of credential: Credential) -> Bool {
        backend.hasBytes(of: credential.backend) && signedInAt >= credential.signedInAt
    }
}
