/// The kind of token that a revocation or introspection request names (RFC 7009 section 2.1). Only a hint: the server
/// looks further when it finds nothing.
public struct TokenTypeHint: OpenEnum {
    /// The word on the wire.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let accessToken: TokenTypeHint = "access_token"
    public static let refreshToken: TokenTypeHint = "refresh_token"
}
