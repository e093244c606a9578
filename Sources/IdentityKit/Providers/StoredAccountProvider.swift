import Foundation

/// Uses the sessions that another program keeps in the shared store, so that a tool can act as the account that is
/// signed in to an app.
///
/// The provider sends no requests: it cannot sign in or refresh, and returns a token only while the token is valid.
public final class StoredAccountProvider: SessionBackedProvider {
    /// The sessions that the other program keeps in the shared store. This provider cannot refresh them.
    public let sessions: ProviderSessions

    /// Makes a provider of the sessions that another program keeps in `store`.
    /// - Parameters:
    ///   - realm: the name of the other program's provider, which is the realm of its accounts.
    ///   - backend: the base URL of that provider's backend. Sessions of another backend are not used. Sessions of any
    ///     provider type and client are used.
    ///   - store: the shared store.
    ///   - time: the clock by which tokens expire.
    public init(realm: String, backend: String, store: any TokenStore, time: TimeSource = .system) {
        sessions = ProviderSessions(realm: realm, origin: .anyone(at: backend), store: store, time: time) { _ in
            throw StoredAccountError.refreshesElsewhere(realm: realm)
        }
    }

    public var mayShowSignIn: Bool { false }

    /// Returns `nil`: only the other program can sign in.
    /// - Throws: nothing.
    public func signIn(in context: CallerContext) async throws -> AccountID? { nil }

    /// Checks that the stored session has the scopes. Only the other program can request more.
    /// - Throws: ``/IdentityCore/SessionError``, ``/IdentityCore/TokenStoreError``, `CancellationError`, or an error
    ///   with the code `session_refreshes_elsewhere` when the access token has to be refreshed.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await sessions.credential(for: accountID, scopes: scopes)
        return nil
    }

    /// Removes the session from the store, which ends it for every program that uses it. Its tokens are not revoked.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    public func signOut(_ accountID: AccountID) async throws {
        try await sessions.end(accountID)
    }
}

/// Why a session of another program cannot be used.
package enum StoredAccountError: IdentityFailure, Equatable {
    /// Only the program that signed in can refresh the session.
    case refreshesElsewhere(realm: String)

    package var failureCode: String { "session_refreshes_elsewhere" }

    /// Transient, because the other program may refresh the session at any time.
    package var failureClass: FailureClass { .transient }

    package var message: String {
        switch self {
        case .refreshesElsewhere(let realm):
            "The stored session of \"\(realm)\" has to be refreshed. Open the program that signed in, then try again."
        }
    }
}

/// Makes ``StoredAccountProvider`` available to configurations as the provider type `stored-account`.
package enum StoredAccountPlugin: ProviderPlugin {
    package static let type = "stored-account"

    package struct Settings: Decodable, Sendable {
        /// The base URL of the backend that issued the tokens of the sessions.
        package let backend: URL
    }

    /// Builds a provider of the sessions whose realm is the provider's name.
    /// - Throws: nothing.
    package static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
        StoredAccountProvider(
            realm: context.name, backend: settings.backend.absoluteString, store: context.environment.store,
            time: context.environment.time)
    }
}

extension StoredAccountPlugin.Settings {
    package init(from decoder: any Decoder) throws {
        backend = try SettingsReader(decoder).read(
            "backend", means: "The address of the backend whose sessions another program keeps in the same store.",
            example: "https://id.example.com")
    }
}
