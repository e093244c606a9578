import Foundation

/// An identity backend as an app or an SDK sees it: the signed-in account, authorization, and an access token.
///
/// Implementations may be called from any thread. A provider has to implement only the three methods of this protocol,
/// even for use in a chain. A provider that never shows anything to the user also declares ``mayShowSignIn``.
public protocol IdentityProvider: Sendable {
    /// Returns the account of the current user.
    ///
    /// When no account is signed in, a provider may show a sign-in, and may request authorization for `scopes` at the
    /// same time.
    /// - Parameters:
    ///   - scopes: the OAuth scopes the caller needs.
    ///   - deviceToken: an identifier unique to this physical device.
    /// - Returns: the account, or `nil` when no account is signed in and a chain may try the next provider.
    /// - Throws: when the user did not sign in, or for an error after which no other provider may be tried.
    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID?

    /// Requests authorization to use the account's data, and whatever the backend needs to refresh a device
    /// attestation.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - scopes: the OAuth scopes the caller needs.
    ///   - deviceToken: an identifier unique to this physical device.
    /// - Returns: a challenge from the backend, which the caller has to answer; `nil` when nothing more is needed.
    /// - Throws: when consent is refused or the request cannot be made.
    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data?

    /// Returns a current access token, and refreshes it first when needed.
    ///
    /// The method runs on the caller's actor, so that the main actor gets a token from memory without a change of
    /// thread. An implementation need not be `nonisolated(nonsending)`.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - scopes: the OAuth scopes the token must carry.
    /// - Throws: when access is not granted.
    nonisolated(nonsending) func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String

    /// Whether ``activeAccount(scopes:deviceToken:)`` may show something to the user, such as a sign-in page; by default
    /// `true`.
    ///
    /// A provider that only reads a token never shows anything, and declares `let mayShowSignIn = false`. A chain then
    /// asks the provider in the order of the chain, silently and within the deadline. A provider that is no
    /// `AccountProvider` and may show a sign-in is not asked silently. A chain asks such a provider when no other
    /// provider has an account, when a sign-in is requested, and to confirm that the chosen account is still signed in.
    /// Do not read files or use the network here.
    var mayShowSignIn: Bool { get }
}

extension IdentityProvider {
    public var mayShowSignIn: Bool { true }
}
