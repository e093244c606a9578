import Foundation

/// The provider of ``IdentityProviders/staticToken(_:for:)``.
package final class StaticTokenProvider: SessionProvider, FixedTokenProvider, FixedAccountProvider {
    package let account: AccountID
    package let isSignedIn = Locked(true)
    private let token: Secret

    package init(token: Secret, account: AccountID) {
        self.token = token
        self.account = account
    }

    package var refusalHint: String { "Configure a new one." }

    package var mayShowSignIn: Bool { false }

    /// - Throws: `FixedTokenError.notSignedIn(_:)` or `MalformedTokenError`.
    package func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        try checkSignedIn(accountID)
        return try token.reveal().asToken()
    }
}

/// The provider type `static-token` of configurations; see ``IdentityProviders/staticToken(_:for:)``.
package enum StaticTokenPlugin: ProviderPlugin {
    package static let type = "static-token"
    package static var setup: PluginSetup { PluginSetup(otherNames: ["token"]) }

    /// Settings of the type `static-token`. The token may be a reference such as `${API_TOKEN}`.
    package struct Settings: Decodable, Sendable {
        package let token: Secret
        /// The account's identifier; by default the provider's name.
        package let account: String?
    }

    /// Builds a provider of one account, whose realm is the provider's name.
    /// - Throws: nothing.
    package static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
        StaticTokenProvider(
            token: settings.token, account: AccountID(account: settings.account ?? context.name, realm: context.name))
    }
}

extension StaticTokenPlugin.Settings {
    /// Reads `token`, and `account` if it is present.
    /// - Throws: `ConfigurationError` for a setting that has another type, and for an absent `token`.
    package init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        token = try settings.read("token", means: "The access token.", example: "${API_TOKEN}")
        account = try settings.readIfPresent(
            "account", means: "The account's identifier; by default the provider's name.", example: "build-server")
    }
}
