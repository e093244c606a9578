import Foundation

/// A token from an environment variable: for build machines and containers.
///
/// Without the variable the provider is not configured, and a chain passes over it. It is read at every call where the
/// app hands in a way to read it anew, and cannot be refreshed. Signing out lasts as long as the provider object.
public final class EnvironmentTokenProvider: SessionProvider {
    /// `SWIFT_IDENTITY_TOKEN`
    public static let defaultVariable = "SWIFT_IDENTITY_TOKEN"

    private let account: AccountID
    private let variable: String
    private let read: @Sendable (String) -> String?
    private let isSignedIn = Locked(true)

    /// A provider of the token in `variable`.
    /// - Parameters:
    ///   - account: whom the token stands for.
    ///   - variable: the variable's name.
    ///   - read: reads a variable.
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

    /// `false`: there is nothing to show.
    public var mayShowSignIn: Bool { false }

    /// The account's realm.
    public var realms: Set<String> { [account.realm] }

    /// The missing variable.
    public var missingConfiguration: String? { token == nil ? "\(variable) is not set" : nil }

    /// The account while the variable is set.
    /// - Throws: nothing.
    public func silentAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup {
        if let gap = missingConfiguration { return .none(.notConfigured(gap)) }
        return isSignedIn.withLock { $0 } ? .found(account) : .none(.signedOut)
    }

    /// The account while the variable is set. There is nothing to show.
    /// - Throws: nothing.
    public func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        guard token != nil else { return nil }
        isSignedIn.withLock { $0 = true }
        return account
    }

    /// Nothing more is needed than the token itself.
    /// - Throws: ``FixedTokenError``.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await accessToken(for: accountID, scopes: scopes)
        return nil
    }

    /// The variable's value.
    /// - Throws: ``FixedTokenError``, ``MalformedTokenError`` for a value with a line break, which a file often ends with.
    public func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        guard accountID == account, isSignedIn.withLock({ $0 }) else { throw FixedTokenError.notSignedIn(accountID) }
        guard let token else {
            throw FixedTokenError.missing(provider: account.realm, hint: "Set \(variable).")
        }
        return try token.asToken("value of \(variable)")
    }

    /// The variable's value, unless it is the refused token.
    /// - Throws: ``FixedTokenError``.
    public func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String {
        let token = try await accessToken(for: accountID, scopes: scopes)
        guard token != rejectedToken else {
            throw FixedTokenError.rejected(provider: account.realm, hint: "Set \(variable) to a new one.")
        }
        return token
    }

    /// Forgets the account until somebody signs in again.
    /// - Throws: nothing.
    public func signOut(_ accountID: AccountID) async throws {
        if accountID == account { isSignedIn.withLock { $0 = false } }
    }
}

/// Makes ``EnvironmentTokenProvider`` available to configurations as the provider type `environment-token`.
public enum EnvironmentTokenPlugin: ProviderPlugin {
    /// `environment-token`
    public static let type = "environment-token"

    /// Where the token is and whom it stands for.
    public struct Settings: Decodable, Sendable {
        /// The variable's name; `SWIFT_IDENTITY_TOKEN` when there is none.
        public let variable: String?
        /// The account's identifier; the provider's name when there is none.
        public let account: String?
    }

    /// Builds a provider.
    /// - Throws: nothing.
    public static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
        EnvironmentTokenProvider(
            account: AccountID(account: settings.account ?? context.name, realm: context.name),
            variable: settings.variable ?? EnvironmentTokenProvider.defaultVariable,
            read: { context.environment.variables[$0] })
    }
}
