import Foundation
import IdentityKit

struct InsForgeErrorResponse: Decodable, Sendable {
    let error: String
    let message: String
    /// Advice for the person or the app's developer.
    let nextActions: String?

    private enum CodingKeys: String, CodingKey {
        case error, message, nextActions
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        error = try container.decode(String.self, forKey: .error)
        message = try container.decode(String.self, forKey: .message)
        // Code and message are still used if this member has another type.
        nextActions = (try? container.decodeIfPresent(String.self, forKey: .nextActions)) ?? nil
    }

    /// Reads a body; `nil` if it is not from the server itself, but for example the page of a proxy.
    init?(_ body: Data) {
        guard let response = try? JSONDecoder.decodeForeign(Self.self, from: body), !response.error.isEmpty else {
            return nil
        }
        self = response
    }
}
