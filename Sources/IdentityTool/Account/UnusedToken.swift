import IdentityKit

/// A token of the environment that is set and not used, because another account is the active one.
struct UnusedToken: Codable, Sendable {
    let provider: String
    let variable: String

    /// - Parameter chosen: the account that was chosen, in words.
    func inWords(besides chosen: String) -> String {
        "\(variable) is set, and \(provider) is not used, because \(chosen) is the chosen account."
    }
}

extension ToolSession {
    /// The tokens of the environment that are set and not used while `chosen` is the chosen account; `nil` for none. Those of
    /// excluded providers are not meant to be used.
    func unusedTokens(besides chosen: AccountID) -> [UnusedToken]? {
        let tokens = client.signInCandidates(replacing: nil).filter { !$0.realms.contains(chosen.realm) }
            .compactMap { link in
                (link.provider as? EnvironmentTokenProvider)?.variableInUse
                    .map { UnusedToken(provider: link.name, variable: $0) }
            }
        return tokens.isEmpty ? nil : tokens
    }
}
