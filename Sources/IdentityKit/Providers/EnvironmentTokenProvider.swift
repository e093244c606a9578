import Foundation

/// A provider of a token from an environment variable, for build machines and containers.
///
/// Without the variable, or when it is empty, the provider is not configured, and a chain skips it. Each call reads the
/// variable again. The token is not refreshed. A sign-out is not stored and lasts until the next sign-in.
public final class EnvironmentTokenProvider: SessionProvider, FixedTokenProvider, FixedAccountProvider {
    public static let defaultVariable = "SWIFT_IDENTITY_TOKEN"

    package let account: AccountID
    package let isSignedIn = Locked(true)
    private let variable: String
    private let read: @Sendable (String) -> String?

    /// Creates a provider whose token is the value of an environment variable.
    /// - Parameters:
    ///   - account: the account for which the token was issued.
    ///   - variable: the name of the environment variable.
    ///   - read: returns the value of a variable, by default from this process's environment.
    public init(
        account: AccountID, variable: String = defaultVariable,
        read: @escaping @Sendable (String) -> String? = { ProcessInfo.processInfo.environment[$0] }
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

    var refusalHint: String { "Set \(variable) to a new one." }

    public var mayShowSignIn: Bool { false }

    public var missingConfiguration: String? { token == nil ? "\(variable) is not set" : nil }

    /// The token in the variable, whatever the `scopes`, because it is unknown which scopes the token has.
    /// - Throws: an error with the code `not_signed_in` when the account is signed out or is another one,
    ///   `token_missing` without the variable, or `token_malformed` for a value with a character that no token has,
    ///   such as the line break at the end of a file.
    public func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        try checkSignedIn(accountID)
        guard let token else {
            throw FixedTokenError.missing(provider: account.realm, hint: "Set \(variable).")
        }
        return try token.asToken("value of \(variable)")
    }
}

/// Makes ``EnvironmentTokenProvider`` available to configurations as the provider type `environment-token`.
package enum EnvironmentTokenPlugin: ProviderPlugin {
    package static let type = "environment-token"

    /// Alternative names for the type in a configuration.
    package static let otherNames: Set = ["env", "environment"]

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
