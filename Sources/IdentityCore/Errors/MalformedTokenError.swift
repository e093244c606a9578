/// A token is empty, or has a character that no token may have (RFC 6749 appendix A.12). An example is a line break,
/// which would start another header in a request. The token was not used.
public struct MalformedTokenError: IdentityFailure, Equatable {
    /// The kind of token, such as `access token`, or its source.
    public let name: String

    public init(name: String) {
        self.name = name
    }

    public var failureCode: String { "token_malformed" }

    public var failureClass: FailureClass { .definitive }

    public var message: String {
        "The \(name) is not used: it is empty, or has a character such as a line break that no token has (RFC 6749). "
            + "Correct it where it comes from, or sign in again."
    }
}
