/// No provider can be used here, because each of them lacks a setting, an environment variable or a file. A sign-in does
/// not help.
package struct NothingConfiguredError: StatedFailure, Equatable {
    /// The missing settings, with the provider that lacks each of them, as part of a sentence.
    package let gaps: String

    package init(gaps: String) { self.gaps = gaps }

    package var facts: FailureFacts {
        .definitive("not_configured", "No provider can be used here (\(gaps.withoutFinalPeriod)).")
    }
}

/// Why a client cannot complete a call, apart from the errors of its providers, its store and its transport.
public enum ClientError: StatedFailure, Equatable {
    /// No account is signed in. The text contains the reasons, usually one for each provider, and may be empty.
    case notSignedIn(String)
    /// The request would send a token to this host without TLS. Only a loopback host, such as `localhost`, needs no TLS.
    case insecureRequest(String)
    /// The client has no configuration that could be replaced, because it uses a provider that the app made.
    case notConfigurable
    /// The client requires every call to name its account, and the call named none.
    case accountRequired
    /// The person signed in as the first account, although the call named the second.
    case otherAccount(AccountID, insteadOf: AccountID)
    /// The call named no account. Several accounts may act at this host, and none of them is active.
    case severalAccounts([AccountID], host: String)
    /// The account's provider does not send tokens to the address of the request, which is at this host.
    case notDestination(AccountID, host: String)
    /// Servers may interpret the address in different ways, for example because of `..` in its path. No token is sent,
    /// because it is unclear whether the address is in the ``ProviderConfiguration/sendsTo`` of a provider.
    case unclearAddress(host: String)
    /// The provider of this name cannot exchange tokens that others sent to this program.
    case cannotDelegate(String)

    package var facts: FailureFacts {
        switch self {
        case .notSignedIn(let reasons):
            .definitive(
                "not_signed_in",
                reasons.isEmpty ? "Nobody is signed in." : "Nobody is signed in (\(reasons.withoutFinalPeriod)).",
                asksForSignIn: true)
        case .insecureRequest(let host):
            .definitive("insecure_request", "A token is not sent to \(host) without TLS. Use an https address.")
        case .notConfigurable:
            .definitive(
                "client_not_configurable",
                "This client was not made from a configuration. Make it from one, or replace its provider with use(_:)."
            )
        case .accountRequired:
            .definitive(
                "account_required",
                "This client acts for no account by itself. Name the account, as in accessToken(as: account).")
        case .otherAccount(let found, let named):
            .definitive(
                "other_account",
                "The sign-in was that of \(found), not of \(named), so nothing was done as \(named). Sign in as \(named)."
            )
        case .severalAccounts(let accounts, let host):
            .definitive(
                "ambiguous_account",
                "Several accounts are signed in for \(host): \(accounts.map(\.id).sorted().joined(separator: ", ")). "
                    + "Name one of them, or make it the active one.")
        case .notDestination(let account, let host):
            .definitive(
                "not_destination",
                "The token of \(account) is not sent to this address at \(host): its provider does not name it in sendsTo."
            )
        case .unclearAddress(let host):
            .definitive(
                "unclear_address",
                "Servers may read this address at \(host) in more than one way, so no token is sent. "
                    + "Write it without user name, \"..\" and needless escapes.")
        case .cannotDelegate(let name):
            .definitive(
                "delegation_unsupported",
                "The provider \"\(name)\" exchanges no tokens of others. Name one of the type workload, openid-connect or oauth2."
            )
        }
    }
}
