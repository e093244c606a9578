import Foundation
import IdentityKit

extension JSONValue {
    /// The value as compact JSON, with the members of objects in order.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a number that JSON does not have.
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
