import Foundation

/// The content of an account's record: a live session, or the reason why it ended. An erased record is a sign-out.
enum SessionRecord: Codable {
    case live(Credential)
    case ended(EndedSession)

    private enum CodingKeys: String, CodingKey {
        case credential
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let credential = try container.decodeIfPresent(Credential.self, forKey: .credential) {
            self = .live(credential)
        } else {
            self = .ended(try EndedSession(from: decoder))
        }
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
    /// - Throws: ``TokenStoreError/corrupt(path:detail:)``.
    init?(_ record: StoreRecord) throws {
        guard let content = record.content else { return nil }
        do {
            self = try JSONDecoder.decodeForeign(SessionRecord.self, from: content)
        } catch {
            throw TokenStoreError.corrupt(path: record.key.name, detail: "it does not describe a session")
        }
    }

    /// The bytes to store.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(self)
    }
}

/// What is kept of a session that its backend ended. Records of earlier versions have only the reason.
struct EndedSession: Codable {
    /// Why it ended, in a sentence that does not ask for a sign-in.
    let reason: String
    var signedInAt: Date?
    var profile: AccountProfile?

    private enum CodingKeys: String, CodingKey {
        case reason = "endedBecause"
        case signedInAt
        case profile
    }

    init(reason: String, signedInAt: Date? = nil, profile: AccountProfile? = nil) {
        self.reason = reason.withoutSignInRequest
        self.signedInAt = signedInAt
        self.profile = profile
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            reason: try container.decode(String.self, forKey: .reason),
            signedInAt: try container.decodeDateIfPresent(forKey: .signedInAt),
            profile: try container.decodeIfPresent(AccountProfile.self, forKey: .profile))
    }
}
