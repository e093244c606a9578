import Foundation

/// The provider of ``IdentityProviders/environmentToken(for:variable:read:)``.
package final class EnvironmentTokenProvider: SessionProvider, FixedTokenProvider, FixedAccountProvider {
    package static let defaultVariable = "SWIFT_IDENTITY_TOKEN"

    package let account: AccountID
    package let isSignedIn = Locked(true)
    private let variable: String
    private let read: @Sendable (String) -> String?

    package init(
        account: AccountID, variable: String = defaultVariable, read: @escaping @Sendable (String) -> String?
    ) {
        self.account = account
        self.variable = variable
        self.read = read
    }

    private var token: String? {
        read(variable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The variable's name, if it holds a token; otherwise `nil`.
    package var variableInUse: String? { token == nil ? nil : variable }

    package var refusalHint: String { "Set \(variable) to a new one." }

    package var mayShowSignIn: Bool { false }

    package var missingConfiguration: String? { token == nil ? "\(variable) is not set" : nil }

    /// - Throws: `FixedTokenError`, or `MalformedTokenError` for a value with a character that no token has, such as the
    ///   line break at the end of a file.
    package func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        try checkSignedIn(accountID)
        guard let token else {
            throw FixedTokenError.missing(provider: account.realm, hint: "Set \(variable).")
        }
        return try token.asToken("value of \(variable)")
    }
}

/// The provider type `environment-token` of configurations; see ``IdentityProviders/environmentToken(for:variable:read:)``.
package enum EnvironmentTokenPlugin: ProviderPlugin {
    package static let type = "environment-token"
    package static var setup: PluginSetup { PluginSetup(otherNames: ["env", "environment"]) }

    package struct Settings: Decodable, Sendable {
        /// The variable's name; by default `SWIFT_IDENTITY_TOKEN`.
        package let variable: String?
        /// The account's identifier; by default the provider's name.
        package let account: String?
    }

    /// Builds a provider that reads the variable from the environment of `context`.
    /// - Throws: nothing.
    package static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
        EnvironmentTokenProvider(
            account: AccountID(account: settings.account ?? context.name, realm: context.name),
            variable: settings.variable ?? EnvironmentTokenProvider.defaultVariable,
            read: { context.environment.variables[$0] })
    }
}

extension EnvironmentTokenPlugin.Settings {
    /// Reads `variable` and `account`, both optional.
    /// - Throws: `ConfigurationError` for a setting that has another type or is no acceptable text.
    package init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        variable = try settings.read(
            "variable", .text, means: "The name of the environment variable with the access token.",
            example: "EXAMPLE_TOKEN", default: .string(EnvironmentTokenProvider.defaultVariable), isUsual: true)
        account = try settings.readIfPresent(
            "account", .text, means: "The account's identifier; by default the provider's name.",
            example: "build-server")
    }
}
