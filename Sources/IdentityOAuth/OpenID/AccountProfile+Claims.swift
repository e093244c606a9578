import Foundation
import IdentityKit

extension AccountProfile {
    /// A profile from the standard claims (OpenID Connect Core section 5.1) of an ID token or of userinfo; `nil`
    /// without any. A claim that is not a single line of at most 320 characters, or a `picture` that is not a web
    /// address, is ignored.
    /// - Parameter claims: `name`, or else `given_name` and `family_name`; `email` and `email_verified`;
    ///   `preferred_username`; `picture`.
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
        // Some servers write `email_verified` as a text.
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
