/// A token has characters that no token may have (RFC 6749 appendix A), such as a line break: put into a header it would
/// add other headers, so it was not used.
public struct MalformedTokenError: IdentityFailure, Equatable {
    /// What it is, such as `access token`, or where it comes from.
    public let name: String

    /// A malformed token.
    public init(name: String) {
        self.name = name
    }

    /// `token_malformed`
    public var failureCode: String { "token_malformed" }

    /// Always ``FailureClass/definitive``.
    public var failureClass: FailureClass { .definitive }

    /// What it is and what to do. The text does not show the token.
    public var message: String {
        "The \(name) is not used: it is empty, or has a character such as a line break that no token has (RFC 6749). "
            + "Correct it where it comes from, or sign in again."
    }
}
