import Foundation

/// The provider of ``IdentityProviders/storedAccount(realm:backend:store:time:)``.
package final class StoredAccountProvider: SessionBackedProvider {
    package let sessions: ProviderSessions

    package init(realm: String, backend: String, store: any TokenStore, time: TimeSource = .system) {
        sessions = ProviderSessions(
            realm: realm, readingThoseOf: .anyone(at: backend), store: store, time: time,
            refusing: StoredAccountError.refreshesElsewhere(realm: realm))
    }

    package var mayShowSignIn: Bool { false }

    /// Returns `nil`: only the other program can sign in.
    /// - Throws: nothing.
    package func signIn(in context: CallerContext) async throws -> AccountID? { nil }

    /// Checks that the stored session has the scopes. Only the other program can request more.
    /// - Throws: ``/IdentityCore/SessionError``, ``/IdentityCore/TokenStoreError``, `CancellationError`, or
    ///   `StoredAccountError` when the access token has to be refreshed.
    package func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await sessions.credential(for: accountID, scopes: scopes)
        return nil
    }

    /// Removes the session from the store, which ends it for every program that uses it. Its tokens are not revoked.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    package func signOut(_ accountID: AccountID) async throws {
        try await sessions.end(accountID)
    }
}

/// Why a session of another program cannot be used.
package enum StoredAccountError: StatedFailure, Equatable {
    /// Only the program that signed in can refresh the session. The error is transient, because that program may
    /// refresh the session at any time.
    case refreshesElsewhere(realm: String)

    package var facts: FailureFacts {
        switch self {
        case .refreshesElsewhere(let realm):
            .transient(
                "session_refreshes_elsewhere",
                "The stored session of \"\(realm)\" has to be refreshed. Open the program that signed in, then try again."
            )
        }
    }
}

/// The provider type `stored-account` of configurations; see ``IdentityProviders/storedAccount(realm:backend:store:time:)``.
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
