/// The type of an access token, which decides how it is presented to a resource: the `token_type` of a token response
/// (RFC 6749 section 7.1).
///
/// Compared without regard to case (section 5.1): `bearer` and `Bearer` are equal.
public struct TokenType: OpenEnum {
    /// The word as the server wrote it.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// `Authorization: Bearer …` (RFC 6750).
    package static let bearer: TokenType = "Bearer"
    /// Bound to a key of the client (RFC 9449).
    package static let dpop: TokenType = "DPoP"
    /// The issued token is not an access token (RFC 8693 section 2.2.1).
    package static let notApplicable: TokenType = "N_A"

    /// Whether both are equal without regard to case.
    public static func == (left: TokenType, right: TokenType) -> Bool {
        left.rawValue.lowercased() == right.rawValue.lowercased()
    }

    /// Hashes the word without its case.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue.lowercased())
    }
}
