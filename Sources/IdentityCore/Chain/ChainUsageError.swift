/// A chain cannot use the providers, the account or the provider's name that it was given.
package enum ChainUsageError: StatedFailure, Equatable {
    /// No provider of the chain has the account's realm. `known` are the realms of its providers.
    case unknownRealm(AccountID, known: [String])
    /// No provider of the chain has this name. `known` are the names of its providers. `namedBy` is the environment
    /// variable with its value, if the variable contains the name, and otherwise `nil`.
    case unknownProvider(String, known: [String], namedBy: String? = nil)
    /// Two providers of a chain have this name or this realm.
    case ambiguous(String)
    /// A provider returned an account whose realm is not one of the provider's.
    case foreignAccount(AccountID, provider: String)
    case excluded(provider: String, override: String)
    /// The app requires the environment variable `SWIFT_IDENTITY_PROVIDER`, but it is not set or contains no name.
    /// `known` are the names of the chain's providers.
    case providerVariableMissing(known: [String])

    package var facts: FailureFacts {
        switch self {
        case .unknownRealm(let account, let known):
            .definitive(
                "unknown_realm",
                "No provider has the realm \"\(account.realm)\". Configured: \(known.joined(separator: ", ")).")
        case .unknownProvider(let name, let known, let source):
            .definitive(
                "unknown_provider",
                (source.map { "\($0): " } ?? "")
                    + "There is no provider named \"\(name)\". Configured: \(known.joined(separator: ", ")).")
        case .ambiguous(let name):
            .definitive(
                "ambiguous_chain", "Two providers have the name or the realm \"\(name)\". Give each a name of its own.")
        case .foreignAccount(let account, let provider):
            .definitive(
                "foreign_account",
                "The provider \"\(provider)\" returned an account of the realm \"\(account.realm)\". It was refused.")
        case .excluded(let provider, let override):
            .definitive(
                "provider_excluded", "The provider \"\(provider)\" is excluded by \(override). Change that to use it.")
        case .providerVariableMissing(let known):
            .definitive(
                "provider_variable_missing",
                "Set \(ProviderOverride.variable) to the provider to use here. Configured: \(known.joined(separator: ", "))."
            )
        }
    }
}

/// Why a chain did not wait, or did not wait any longer, for a provider's answer.
package enum ChainLinkError: StatedFailure, Equatable {
    /// The silent lookup took longer than the deadline.
    case tooSlow(limit: Duration)
    /// The backend could not be reached a moment ago, so it is not tried again before `retryAfter` has passed.
    case recentlyUnavailable(retryAfter: Duration)

    package var facts: FailureFacts {
        switch self {
        case .tooSlow(let limit):
            .transient("provider_too_slow", "It did not respond within \(limit.inWholeSeconds). Try again.")
        case .recentlyUnavailable(let wait):
            .transient(
                "provider_recently_unavailable",
                "It could not be reached a moment ago and is not tried again for \(wait.inWholeSeconds).")
        }
    }
}
