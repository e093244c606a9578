extension ClientState {
    /// Who is signed in, without showing anything.
    ///
    /// A chain that keeps its choice knows by itself whose session has ended. Of any other provider, the account that
    /// listeners know of is asked for, so that nobody else comes in its place.
    /// - Throws: what the provider throws.
    func look(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup {
        let lookup = try await provider.silentAccount(scopes: scopes, deviceToken: deviceToken)
        guard !keepsChoice, let known, known != lookup.account, provider.realms.containsBytes(of: known.realm),
            case .none(.sessionEnded(let reason)) = try await provider.silentAccount(
                known, scopes: scopes, deviceToken: deviceToken)
        else { return lookup }
        return .none(.activeSessionEnded(known, reason: reason))
    }

    /// Who is signed in, after a sign-in when nobody is.
    /// - Throws: ``SessionError/ended(_:reason:)`` when the active account's session has ended and no sign-in can be shown,
    ///   otherwise what the provider throws.
    func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup {
        let chain = provider as? IdentityProviderChain
        if let chain, keepsChoice { return try await chain.activeLookup(scopes: scopes, deviceToken: deviceToken) }
        guard known != nil,
            case .none(.activeSessionEnded(let ended, let reason)) = try await look(
                scopes: scopes, deviceToken: deviceToken)
        else {
            return try await provider.activeAccount(scopes: scopes, deviceToken: deviceToken)
                .map(AccountLookup.found) ?? .none(.cannotShowSignIn)
        }
        let account =
            if let provider = provider as? any SigningInAgain {
                try await provider.signIn(again: ended, scopes: scopes, deviceToken: deviceToken)
            } else {
                try await provider.signIn(scopes: scopes, deviceToken: deviceToken)
            }
        guard let account else { throw SessionError.ended(ended, reason: reason) }
        return .found(account)
    }

    /// Whether the provider remembers whom it acts for.
    private var keepsChoice: Bool { (provider as? IdentityProviderChain)?.selection != nil }
}
