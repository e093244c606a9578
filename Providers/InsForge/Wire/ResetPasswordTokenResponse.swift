import Foundation

/// The token that sets a new password, for the code from the mail.
public struct ResetPasswordTokenResponse: Decodable, Sendable {
    public let token: String
    /// When it stops working, by the server's clock; `nil` when the server's date cannot be read.
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
    /// Says when it ends, without the token.
    public var description: String {
        "ResetPasswordTokenResponse(expiresAt: \(expiresAt.map(String.init(describing:)) ?? "unknown"))"
    }

    /// Shows the date alone.
    public var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt as Any]) }
}
