import Foundation
import IdentityKit

extension JSONValue {
    /// Encodes the value as compact JSON, with the members of objects sorted by name.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for an infinite number or NaN, which JSON cannot express.
    func serialized() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            throw OAuthError.invalidSetting(.invalidParameter("a number"))
        }
    }
}
