import Foundation
import IdentityKit

extension IdentityConfiguration {
    /// The JSON document that a person finds in the file.
    var document: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        }
    }
}
