import Foundation

/// What the store holds under an account: a live session, or the reason why it ended. An erased record is a sign-out.
enum SessionRecord: Codable {
    case live(Credential)
    case ended(reason: String)

    private enum CodingKeys: String, CodingKey {
        case credential
        case endedBecause
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let credential = try container.decodeIfPresent(Credential.self, forKey: .credential) {
            self = .live(credential)
        } else {
            self = .ended(reason: try container.decode(String.self, forKey: .endedBecause))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .live(let credential): try container.encode(credential, forKey: .credential)
        case .ended(let reason): try container.encode(reason, forKey: .endedBecause)
        }
    }

    /// Reads the content of `record`; `nil` when it was erased.
    /// - Throws: ``TokenStoreError/corrupt(path:detail:)``.
    init?(_ record: StoreRecord) throws {
        guard let content = record.content else { return nil }
        do {
            self = try JSONDecoder().decode(SessionRecord.self, from: content)
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
