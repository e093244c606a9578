import Foundation
import IdentityKit

struct InsForgeErrorResponse: Decodable, Sendable {
    let error: String
    let message: String
    /// Advice for the person or the app's developer; `nil` if it is missing or not a string.
    let nextActions: String?

    private enum CodingKeys: String, CodingKey {
        case error, message, nextActions
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        error = try container.decode(String.self, forKey: .error)
        message = try container.decode(String.self, forKey: .message)
        // If this member has another type, the code and the message are still used.
        nextActions = (try? container.decodeIfPresent(String.self, forKey: .nextActions)) ?? nil
    }

    /// Reads an error document; `nil` for any other body, such as a proxy's page, and for a document with an empty code.
    init?(_ body: Data) {
        guard let response = try? JSONDecoder.decodeForeign(Self.self, from: body), !response.error.isEmpty else {
            return nil
        }
        self = response
    }
}
