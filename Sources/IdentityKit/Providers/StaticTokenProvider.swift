import Foundation

/// One account with one token that somebody handed in: for scripts, tests and service accounts.
///
/// The token is not refreshed. Signing out lasts as long as the provider object.
public final class StaticTokenProvider: SessionProvider {
    private let account: AccountID
    private let token: Secret
    private let isSignedIn = Locked(true)

    /// A provider of `token`.
    /// - Parameters:
    ///   - token: the access token.
    ///   - account: whom it stands for.
    public init(token: Secret, account: AccountID) {
        self.token = token
        self.account = account
    }

    /// `false`: there is nothing to show.
    public var mayShowSignIn: Bool { false }

    /// The account's realm.
    public var realms: Set<String> { [account.realm] }

    /// The account, unless it was signed out.
    /// - Throws: nothing.
    public func silentAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup {
        isSignedIn.withLock { $0 } ? .found(account) : .none(.signedOut)
    }

    /// The account, again.
    /// - Throws: nothing.
    public func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        isSignedIn.withLock { $0 = true }
        return account
    }

    /// Nothing more is needed than the token itself.
    /// - Throws: ``FixedTokenError/notSignedIn(_:)``.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await accessToken(for: accountID, scopes: scopes)
        return nil
    }

    /// The token. What it may be used for is known to whoever issued it, so `scopes` is not looked at.
    /// - Throws: ``FixedTokenError/notSignedIn(_:)``, ``MalformedTokenError``.
    public func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        guard accountID == account, isSignedIn.withLock({ $0 }) else { throw FixedTokenError.notSignedIn(accountID) }
        return try token.reveal().asToken()
    }

    /// The token, unless it is the one that was refused.
    /// - Throws: ``FixedTokenError``.
    public func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String {
        let token = try await accessToken(for: accountID, scopes: scopes)
        guard token != rejectedToken else {
            throw FixedTokenError.rejected(provider: account.realm, hint: "Configure a new one.")
        }
        return token
    }

    /// Forgets the account until somebody signs in again.
    /// - Throws: nothing.
    public func signOut(_ accountID: AccountID) async throws {
        if accountID == account { isSignedIn.withLock { $0 = false } }
    }
}

/// Makes ``StaticTokenProvider`` available to configurations as the provider type `static-token`.
public enum StaticTokenPlugin: ProviderPlugin {
    /// `static-token`
    public static let type = "static-token"

    /// The token, best written as a reference such as `${API_TOKEN}`, and whom it stands for.
    public struct Settings: Decodable, Sendable {
        /// The access token.
        public let token: Secret
        /// The account's identifier; the provider's name when there is none.
        public let account: String?
    }

    /// Builds a provider.
    /// - Throws: nothing.
    public static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
        StaticTokenProvider(
            token: settings.token, account: AccountID(account: settings.account ?? context.name, realm: context.name))
    }
}
