import Foundation
import IdentityKit

/// A new anonymous key, and the time until which the old one is accepted.
public struct AnonKeyRotation: Decodable, Sendable, Hashable {
    /// The new key, an opaque string. It is not secret, because every copy of the app contains it.
    public let anonKey: String
    /// The time from which the old key is refused, by the server's clock; `nil` if the date is missing or unreadable.
    public let oldKeyExpiresAt: Date?

    private enum CodingKeys: CodingKey {
        case anonKey, oldKeyExpiresAt
    }

    /// Reads the server's response, in which only the new key is required.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        anonKey = try container.decodeToken(forKey: .anonKey).reveal()
        oldKeyExpiresAt = container.readableDate(forKey: .oldKeyExpiresAt)
    }
}

extension AnonKeyRotation: Reticent {
    package var shown: KeyValuePairs<String, Any> { ["oldKeyExpiresAt": oldKeyExpiresAt as Any] }
}
