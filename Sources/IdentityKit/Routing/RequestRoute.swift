import Foundation

/// The account with which a request to an address is sent, and the rule that chose it.
package struct RequestRoute: Sendable {
    /// The rule by which the account was chosen.
    package enum Rule: String, Sendable {
        /// The call names the account.
        case account
        /// The address is inside a destination that the configuration lists for the account's provider.
        case destination
        /// The account is the active one: it was stored because somebody chose it, or an earlier look-up found it.
        case selection
        /// No active account was stored. The account belongs to the first provider of the chain that has an account.
        case order
    }

    package let account: AccountID
    package let provider: String
    package let rule: Rule
    /// The destination that contains the address, for ``Rule/destination``; otherwise `nil`.
    package let destination: URL?
}

extension IdentityClient {
    /// Finds the account that would act for a request to `address`, without sending anything there.
    /// - Throws: the error that ``data(for:as:scopes:mayShowSignIn:)`` throws when no account may act, or
    ///   ``/IdentityCore/TokenStoreError``.
    package func requestRoute(
        to address: URL, as account: AccountID?, scopes: Set<String> = []
    ) async throws -> RequestRoute {
        try URLRequest(url: address).checkMayCarryToken()
        let choice = chain.choiceKey
        let hasChoice = if let choice { try await environment.store.record(for: choice)?.content != nil } else { true }
        let (acting, _) = try await route(to: address, as: account, scopes: scopes)
        let provider = acting.chain.name(of: acting.account)
        var (rule, destination) = (RequestRoute.Rule.account, URL?.none)
        if account == nil {
            let rules = state.withLock { $0.setup?.destinations }
            if let rules, try rules.others(than: chain, at: address) != nil,
                case .named(let place, _) = rules.finding(at: address)
            {
                (rule, destination) = (.destination, place)
            } else {
                rule = hasChoice ? .selection : .order
            }
        }
        return RequestRoute(account: acting.account, provider: provider, rule: rule, destination: destination)
    }
}
