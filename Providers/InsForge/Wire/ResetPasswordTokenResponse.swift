import Foundation

/// The token with which a new password can be set, in exchange for a mailed code.
public struct ResetPasswordTokenResponse: Decodable, Sendable {
    public let token: String
    /// The token's expiry, by the server's clock; `nil` if the date is unreadable.
    public let expiresAt: Date?

    private enum CodingKeys: CodingKey {
        case token, expiresAt
    }

    /// Reads the server's response.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        token = try container.decode(String.self, forKey: .token)
        expiresAt = container.readableDate(forKey: .expiresAt)
    }
}

extension ResetPasswordTokenResponse: CustomStringConvertible, CustomReflectable {
    /// The expiry, without the token.
    public var description: String {
        "ResetPasswordTokenResponse(expiresAt: \(expiresAt.map(String.init(describing:)) ?? "unknown"))"
    }

    /// Shows the date alone.
    public var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt as Any]) }
}
