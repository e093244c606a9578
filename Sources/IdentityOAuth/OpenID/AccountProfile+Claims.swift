import Foundation
import IdentityKit

extension AccountProfile {
    /// Creates a profile from the standard claims (OpenID Connect Core section 5.1) of an ID token or of userinfo; `nil` if
    /// none of them can be used.
    ///
    /// A claim is ignored if it is empty or longer than 320 characters, or has line breaks, other control characters, or
    /// characters that change the direction of the text. A `picture` is ignored if it is not an `http` or `https` URL.
    /// - Parameter claims: the claims, of which these are read: `name`, or else `given_name` and `family_name`; `email` and
    ///   `email_verified`; `preferred_username`; `picture`.
    public init?(claims: [String: JSONValue]) {
        func text(_ claim: String) -> String? {
            guard let value = claims[claim]?.stringValue?.trimmingCharacters(in: .whitespaces),
                1...Self.longestText ~= value.count,
                !value.unicodeScalars.contains(where: Self.movesText)
            else { return nil }
            return value
        }
        let parts = [text("given_name"), text("family_name")].compactMap { $0 }
        self.init(
            displayName: text("name") ?? parts.joined(separator: " "), email: text("email"),
            username: text("preferred_username"),
            picture: text("picture").flatMap(URL.init(string:)).flatMap { $0.isWebAddress ? $0 : nil })
        if isEmpty { return nil }
        // Some servers write `email_verified` as the string `"false"`.
        isEmailUnverified = email != nil && [false, "false"].contains(claims["email_verified"])
    }

    private static let longestText = 320

    /// Whether a character breaks the line, moves a terminal's cursor, or reverses the text's direction.
    private static func movesText(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069: true
        default: [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
    }
}

extension URL {
    fileprivate var isWebAddress: Bool {
        ["https", "http"].contains(scheme?.lowercased()) && host?.isEmpty == false
    }
}
