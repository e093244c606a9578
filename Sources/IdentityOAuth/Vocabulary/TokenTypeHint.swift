/// The kind of token that a revocation or introspection request names (RFC 7009 section 2.1). It is only a hint: the
/// server also looks among tokens of other kinds.
package struct TokenTypeHint: OpenEnum {
    /// The value on the wire, which may be unknown to this version of the library.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package static let accessToken: TokenTypeHint = "access_token"
    package static let refreshToken: TokenTypeHint = "refresh_token"
}
