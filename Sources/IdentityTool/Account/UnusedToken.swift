import IdentityKit

/// A token in an environment variable that is ignored because another account is active.
struct UnusedToken: Codable, Sendable {
    let provider: String
    let variable: String

    /// - Parameter chosen: the active account, as the message names it.
    func inWords(besides chosen: String) -> String {
        "\(variable) is set, and \(provider) is not used, because \(chosen) is the chosen account."
    }
}

extension ToolSession {
    /// Returns the tokens in environment variables that are ignored while `chosen` is the active account; `nil` if there are
    /// none. Leaves out tokens of providers that SWIFT_IDENTITY_PROVIDER excludes, because they are ignored on purpose.
    func unusedTokens(besides chosen: AccountID) -> [UnusedToken]? {
        let tokens = client.signInCandidates(replacing: nil).filter { !$0.realms.contains(chosen.realm) }
            .compactMap { link in
                (link.provider as? EnvironmentTokenProvider)?.variableInUse
                    .map { UnusedToken(provider: link.name, variable: $0) }
            }
        return tokens.isEmpty ? nil : tokens
    }
}
