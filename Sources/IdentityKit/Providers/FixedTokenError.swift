/// Why a provider with a fixed token has no access token.
package enum FixedTokenError: StatedFailure, Equatable {
    /// A resource server refused the token or the caller demands a new one, and the provider cannot get another.
    case rejected(provider: String, hint: String)
    /// No token is configured for the provider, such as when its environment variable is not set.
    case missing(provider: String, hint: String)
    /// The account belongs to another provider, or was signed out.
    case notSignedIn(AccountID)

    package var facts: FailureFacts {
        switch self {
        case .rejected(let provider, let hint):
            .definitive("token_rejected", "The token of \"\(provider)\" was refused. \(hint)")
        case .missing(let provider, let hint):
            .definitive("token_missing", "The provider \"\(provider)\" has no token. \(hint)")
        case .notSignedIn(let account):
            .definitive("not_signed_in", "Nobody is signed in with \(account.realm). Sign in first.")
        }
    }
}
