import Foundation

/// Makes providers that use a given token, the sessions of another program, or a guest account.
///
/// None of these providers shows a sign-in, sends a request or refreshes a token. In a configuration they are the types
/// `static-token`, `environment-token`, `stored-account` and `anonymous`.
public enum IdentityProviders {
    /// Makes a provider of a single account with a fixed token, for scripts, tests and service accounts.
    ///
    /// The token is returned whatever the requested scopes, because it is unknown which scopes it has. A sign-out is not
    /// stored and lasts until the next sign-in.
    ///
    /// A call for a token throws an error with one of these codes:
    /// - `not_signed_in` for another account, or after a sign-out.
    /// - `token_rejected` if the caller demands a new token, or a replacement for this token after a refusal.
    /// - `token_malformed` for a token with a character that no token has.
    ///
    /// A call for the token of a resource throws
    /// ``/IdentityCore/SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)``.
    /// - Parameters:
    ///   - token: the access token.
    ///   - account: the account for which the token was issued.
    public static func staticToken(_ token: Secret, for account: AccountID) -> some SessionProvider {
        StaticTokenProvider(token: token, account: account)
    }

    /// Makes a provider of a token from an environment variable, for build machines and containers.
    ///
    /// Without the variable, or when it is empty, the provider is not configured, and a chain skips it. Each call reads the
    /// variable again. The token is returned whatever the requested scopes, because it is unknown which scopes it has. A
    /// sign-out is not stored and lasts until the next sign-in.
    ///
    /// A call for a token throws the errors of ``staticToken(_:for:)``, and an error with the code `token_missing` if the
    /// variable is not set or is empty. A value with a line break, as at the end of a file, is `token_malformed`.
    /// - Parameters:
    ///   - account: the account for which the token was issued.
    ///   - variable: the name of the environment variable.
    ///   - read: returns the value of a variable, by default from this process's environment.
    public static func environmentToken(
        for account: AccountID, variable: String = "SWIFT_IDENTITY_TOKEN",
        read: @escaping @Sendable (String) -> String? = { ProcessInfo.processInfo.environment[$0] }
    ) -> some SessionProvider {
        EnvironmentTokenProvider(account: account, variable: variable, read: read)
    }

    /// Makes a provider of the sessions that another program keeps in the shared store, so that a tool can act as the account
    /// that is signed in to an app.
    ///
    /// The provider cannot sign in, request scopes or refresh, and returns a token only while the token is valid. A sign-out
    /// removes the session from the store, which ends it for every program that uses it. Its tokens are not revoked.
    ///
    /// A call for a token throws an error with the code `session_refreshes_elsewhere` when the session has to be refreshed,
    /// ``/IdentityCore/SessionError`` when the account has no session or lacks a scope,
    /// ``/IdentityCore/TokenStoreError``, or `CancellationError`. The call writes nothing to the store.
    /// - Parameters:
    ///   - realm: the name of the other program's provider, which is the realm of its accounts.
    ///   - backend: the base URL of that provider's backend. Sessions of another backend are not used. Sessions of any
    ///     provider type and client are used.
    ///   - store: the shared store.
    ///   - time: the clock by which tokens expire.
    public static func storedAccount(
        realm: String, backend: String, store: any TokenStore, time: TimeSource = .system
    ) -> some SessionBackedProvider {
        StoredAccountProvider(realm: realm, backend: backend, store: store, time: time)
    }

    /// Makes a provider of a guest account, which this device gets without a sign-in. As the last provider of a chain, it
    /// ensures that there is always an account.
    ///
    /// The account's identifier is random, created at the first lookup and kept in the store. A sign-out removes the
    /// identifier, and the next guest gets a new one.
    ///
    /// Each call throws ``/IdentityCore/TokenStoreError`` for a failure of the store, and the first lookup an error with the
    /// code `randomness_unavailable` if `random` fails. A call for a token throws the errors of ``staticToken(_:for:)``, and an
    /// error with the code `token_missing` if guests have no access.
    /// - Parameters:
    ///   - name: the provider's name, which is the realm of its accounts.
    ///   - token: the access token of all guests, such as a project's public key, whatever the requested scopes; `nil` when
    ///     they have no access.
    ///   - store: the store of the guest's identifier.
    ///   - random: the source of the 16 bytes that become the identifier, in hexadecimal.
    public static func anonymous(
        name: String, token: Secret? = nil, store: any TokenStore, random: RandomSource = .system
    ) -> some SessionProvider {
        AnonymousProvider(name: name, token: token, store: store, random: random)
    }
}
