import Foundation
import IdentityKit

/// A new anonymous key, and for how long the old one is still accepted.
public struct AnonKeyRotation: Decodable, Sendable, Hashable {
    /// The new key, an opaque string. It is no secret: every copy of the app contains it.
    public let anonKey: String
    /// When the old key stops working, by the server's clock; `nil` when the server's date cannot be read.
    public let oldKeyExpiresAt: Date?

    private enum CodingKeys: CodingKey {
        case anonKey, oldKeyExpiresAt
    }

    /// Reads the server's response.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        anonKey = try container.decodeToken(forKey: .anonKey).reveal()
        oldKeyExpiresAt = container.readableDate(forKey: .oldKeyExpiresAt)
    }
}

extension AnonKeyRotation: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, showing: ["oldKeyExpiresAt": oldKeyExpiresAt as Any]) }
}
