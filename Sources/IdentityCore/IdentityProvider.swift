import Foundation

/// An identity backend as an app or an SDK sees it: the signed-in account, authorization, and an access token.
///
/// Implementations may be called from any thread. These three methods are all that a provider has to implement, also for a
/// chain. A provider that never shows anything also sets ``mayShowSignIn``.
public protocol IdentityProvider: Sendable {
    /// The account of the current user.
    ///
    /// It may show a sign-in when no account is signed in, and may request authorization at the same time.
    /// - Parameters:
    ///   - scopes: the OAuth scopes the caller needs.
    ///   - deviceToken: an identifier unique to this physical device.
    /// - Returns: the account, or `nil` when no account is signed in and a chain may try the next provider.
    /// - Throws: when the user did not sign in, or for an error after which no other provider may be tried.
    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID?

    /// Requests authorization to use the account's data, and what refreshing a device attestation needs.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - scopes: the OAuth scopes the caller needs.
    ///   - deviceToken: an identifier unique to this physical device.
    /// - Returns: a challenge to be used for verification, or `nil` when nothing more is needed.
    /// - Throws: when consent is refused or the request cannot be made.
    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data?

    /// A current access token, refreshed when needed.
    ///
    /// It is called on the caller's actor, so that a token in memory reaches the main actor without a change of thread. An
    /// implementation need not be `nonisolated(nonsending)`.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - scopes: the OAuth scopes the token must carry.
    /// - Throws: when access is not granted.
    nonisolated(nonsending) func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String

    /// Whether ``activeAccount(scopes:deviceToken:)`` may show something to the user, such as a sign-in page; by default
    /// `true`.
    ///
    /// A provider that only reads a token never does, and declares `let mayShowSignIn = false`. A chain then tries it in its
    /// order, silently and within the deadline. A provider that may show a sign-in is tried only when no other has an
    /// account. Do not read files or use the network here.
    var mayShowSignIn: Bool { get }
}

extension IdentityProvider {
    public var mayShowSignIn: Bool { true }
}
