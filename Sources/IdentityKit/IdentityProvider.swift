import Foundation

/// Who is signed in, may this be done, and give me a token: all that an app or an SDK needs of an identity backend.
///
/// Implementations may be called from any thread. Everything in the framework that composes providers, the chain above
/// all, is written against these three methods; they are all that has to be written. A provider that never shows anything
/// to a person says so in one line more, ``mayShowSignIn``.
public protocol IdentityProvider: Sendable {
    /// The account of the current user.
    ///
    /// A sign-in may be triggered when nobody is signed in; `scopes` and `deviceToken` may be used to request
    /// authorization at the same time.
    /// - Parameters:
    ///   - scopes: the OAuth scopes the caller needs.
    ///   - deviceToken: an identifier unique to this physical device.
    /// - Returns: the account, or `nil` for "nobody is signed in here, ask the next provider".
    /// - Throws: when the user did not sign in, or something is wrong and no other provider may be asked.
    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID?

    /// Asks for authorization to use the account's data, and for whatever refresh of a device attestation needs.
    /// - Parameters:
    ///   - accountID: the account that asks.
    ///   - scopes: the OAuth scopes the caller needs.
    ///   - deviceToken: an identifier unique to this physical device.
    /// - Returns: a challenge to be used for verification, or `nil` when nothing more is needed.
    /// - Throws: when consent is refused or the request cannot be made.
    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data?

    /// A current access token, refreshed when needed.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - scopes: the OAuth scopes the token must carry.
    /// - Throws: when access is not granted.
    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String

    /// Whether ``activeAccount(scopes:deviceToken:)`` may show something to a person, such as a sign-in page; `true` unless
    /// the provider says otherwise.
    ///
    /// A provider that reads a token of its surroundings never does, and says so with `let mayShowSignIn = false`. A chain
    /// then asks it in its place in the order, silently and within the deadline, as it asks a ``SessionProvider``.
    /// One that may show a sign-in is asked only when nobody has an account. The answer must be cheap: no file, no network.
    var mayShowSignIn: Bool { get }
}

extension IdentityProvider {
    /// A sign-in may be shown, as long as nothing else is known.
    public var mayShowSignIn: Bool { true }
}
