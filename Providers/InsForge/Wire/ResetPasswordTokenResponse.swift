import Foundation
import IdentityKit

/// A token for setting a new password, which the server returns for a mailed code.
public struct ResetPasswordTokenResponse: Decodable, Sendable {
    public let token: String
    /// The token's expiry by the server's clock; `nil` if the date is missing or unreadable.
    public let expiresAt: Date?

    private enum CodingKeys: CodingKey {
        case token, expiresAt
    }

    /// Reads the server's response. An unreadable expiry is ignored.
    /// - Throws: `DecodingError` without a token.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        token = try container.decode(String.self, forKey: .token)
        expiresAt = container.readableDate(forKey: .expiresAt)
    }
}

extension ResetPasswordTokenResponse: CustomStringConvertible, Reticent {
    /// The expiry, or `unknown` without one. The secret token is left out.
    public var description: String {
        "ResetPasswordTokenResponse(expiresAt: \(expiresAt.map(String.init(describing:)) ?? "unknown"))"
    }

    /// Shows the expiry, but not the token.
    package var shown: KeyValuePairs<String, Any> { ["expiresAt": expiresAt as Any] }
}
