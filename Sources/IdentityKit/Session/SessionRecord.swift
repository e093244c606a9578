import Foundation
import IdentityStoreFormat

/// The content of an account's record: a live session, or the reason why it ended. An erased record is a sign-out.
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

    /// Reads the content of `record`; `nil` when it was erased.
    /// - Throws: ``/IdentityCore/TokenStoreError/corrupt(path:detail:)``.
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

    /// The tokens of a live session.
    var credential: Credential? {
        if case .live(let credential) = self { credential } else { nil }
    }

    /// A new session with the number that it gets when it replaces `generation`.
    func numbered(replacing generation: UInt64) -> SessionRecord {
        guard case .live(var credential) = self else { return self }
        credential.sessionNumber = generation + 1
        return .live(credential)
    }

    /// A new session that keeps the further grants in `record` of the same client, except for those that it covers.
    func keepingGrants(of record: StoreRecord) -> SessionRecord {
        guard case .live(var credential) = self, credential.grants.isEmpty,
            let former = try? SessionRecord(record)?.credential, !former.grants.isEmpty,
            former.backend.hasBytes(of: credential.backend), former.clientID.hasBytes(of: credential.clientID),
            former.providerType == credential.providerType
        else { return self }
        credential.grants = former.grants.filter { !credential.covers($0.credential) }
        return .live(credential)
    }

    /// The bytes to store: at most ``maximumSize``, whatever a server sent.
    /// - Throws: ``/IdentityCore/TokenStoreError/tooLarge(size:limit:)``.
    func encoded() throws -> Data {
        switch self {
        case .live(let credential): try credential.stored()
        case .ended(let session): try session.stored()
        }
    }
}

/// A session that ended without a sign-out: the backend refused its refresh token, or the person withdrew consent at
/// the vendor.
struct EndedSession: Encodable {
    /// Why the session ended, in a sentence that does not ask for a sign-in.
    let endReason: String
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

    /// Whether this is the end of the session with `credential`, or of a later one.
    func isEnd(of credential: Credential) -> Bool {
        backend.hasBytes(of: credential.backend) && signedInAt >= credential.signedInAt
    }
}
