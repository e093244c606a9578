import IdentityKit
import IdentityOAuth

/// A user as a response describes them. Only the identifier is required. Any other member is `nil` if it is missing or
/// has another type, so that it does not overwrite a known value.
struct ReceivedUser: Sendable {
    let id: String
    var email: String?
    var emailVerified: Bool?
    var createdAt: String?
    var updatedAt: String?
    var providers: [String]?
    var profile: UserProfile?
    var metadata: JSONValue?
    var faults: [ResponseFault] = []
}

extension ReceivedUser: Decodable {
    private enum CodingKeys: CodingKey {
        case id, email, emailVerified, createdAt, updatedAt, providers, profile, metadata
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var faults: [ResponseFault] = []
        func readable<Value: Decodable>(_ key: CodingKeys, isOptional: Bool = false) -> Value? {
            do {
                let value = try container.decodeIfPresent(Value.self, forKey: key)
                if value == nil, !isOptional { faults.append(.missingMember("user." + key.stringValue)) }
                return value
            } catch {
                faults.append(.invalidMember("user." + key.stringValue))
                return nil
            }
        }
        id = try container.decode(String.self, forKey: .id)
        guard !id.isEmpty else {
            throw DecodingError.dataCorruptedError(forKey: .id, in: container, debugDescription: "It is empty.")
        }
        email = readable(.email)
        emailVerified = readable(.emailVerified)
        createdAt = readable(.createdAt)
        updatedAt = readable(.updatedAt)
        providers = readable(.providers, isOptional: true)
        profile = readable(.profile, isOptional: true)
        let metadata: [String: JSONValue]? = readable(.metadata, isOptional: true)
        self.metadata = metadata.map(JSONValue.object)
        self.faults = faults
    }
}
