/// The type of an access token, which decides how the client presents the token to a resource: the `token_type` of a
/// token response (RFC 6749 section 7.1).
///
/// Values are compared without regard to case (section 5.1): `bearer` and `Bearer` are equal.
package struct TokenType: OpenEnum {
    /// The value as the server wrote it, with its upper-case and lower-case letters.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// A token that is not bound to a key, sent as `Authorization: Bearer …` (RFC 6750 section 2.1).
    package static let bearer: TokenType = "Bearer"
    /// A token bound to a key of the client, sent with a proof of that key (RFC 9449 section 7.1).
    package static let dpop: TokenType = "DPoP"
    /// The issued token is not an access token (RFC 8693 section 2.2.1).
    package static let notApplicable: TokenType = "N_A"

    /// Returns whether the values are equal without regard to case (RFC 6749 section 5.1).
    package static func == (left: TokenType, right: TokenType) -> Bool {
        left.rawValue.lowercased() == right.rawValue.lowercased()
    }

    /// Hashes the value in lower case, because equal values may differ in case.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue.lowercased())
    }
}
