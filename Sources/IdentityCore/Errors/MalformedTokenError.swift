/// A token is empty, or has a character that no token may have (RFC 6749 appendix A.12). An example is a line break,
/// which would start another header in a request. The token was not used.
package struct MalformedTokenError: StatedFailure, Equatable {
    /// The kind of token, such as `access token`, or its source.
    package let name: String

    package init(name: String) {
        self.name = name
    }

    package var facts: FailureFacts {
        .definitive(
            "token_malformed",
            "The \(name) is not used: it is empty, or has a character such as a line break that no token has (RFC 6749). "
                + "Correct it where it comes from, or sign in again.")
    }
}
