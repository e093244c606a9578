import Foundation

/// The provider of ``IdentityProviders/anonymous(name:token:store:random:)``.
package struct AnonymousProvider: SessionProvider, FixedTokenProvider {
    private let name: String
    private let token: Secret?
    private let store: any TokenStore
    private let random: RandomSource

    package init(name: String, token: Secret? = nil, store: any TokenStore, random: RandomSource = .system) {
        self.name = name
        self.token = token
        self.store = store
        self.random = random
    }

    package var refusalHint: String { "Sign in to get access." }
    private var key: StoreKey { StoreKey(.device, "guest of \(name)") }

    package var mayShowSignIn: Bool { false }

    package var realms: Set<String> { [name] }

    /// The guest account of this device, which is created if there is none.
    /// - Throws: ``/IdentityCore/TokenStoreError``, `RandomnessError` or `CancellationError`.
    package func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        .found(account(try await store.valueMadeOnce(for: key) { Data(try random.bytes(16).hexEncoded.utf8) }))
    }

    /// Returns the same account as ``silentAccount(in:)``, and shows nothing.
    /// - Throws: as ``silentAccount(in:)``.
    package func signIn(in context: CallerContext) async throws -> AccountID? {
        try await silentAccount(in: context).account
    }

    /// Checks that the guest is signed in. There is nothing to consent to, whether or not guests have an access token.
    /// - Returns: always `nil`.
    /// - Throws: `FixedTokenError.notSignedIn(_:)` or ``/IdentityCore/TokenStoreError``.
    package func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await check(accountID)
        return nil
    }

    /// - Throws: `FixedTokenError`, `MalformedTokenError` or ``/IdentityCore/TokenStoreError``.
    package func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        try await check(accountID)
        guard let token else { throw FixedTokenError.missing(provider: name, hint: refusalHint) }
        return try token.reveal().asToken()
    }

    /// Removes the guest's identifier from the store. Does nothing for another account.
    /// - Throws: ``/IdentityCore/TokenStoreError`` or `CancellationError`.
    package func signOut(_ accountID: AccountID) async throws {
        try await store.update(key) { $0?.content.map(account) == accountID ? .replace(nil) : .keep }
    }

    private func account(_ identifier: Data) -> AccountID {
        AccountID(account: String(decoding: identifier, as: UTF8.self), realm: name)
    }

    private func check(_ account: AccountID) async throws {
        guard let content = try await store.record(for: key)?.content, self.account(content) == account else {
            throw FixedTokenError.notSignedIn(account)
        }
    }
}

/// The provider type `anonymous` of configurations; see ``IdentityProviders/anonymous(name:token:store:random:)``.
package enum AnonymousPlugin: ProviderPlugin {
    package static let type = "anonymous"
    package static var setup: PluginSetup { PluginSetup(otherNames: ["guest"]) }

    /// Settings of the type `anonymous`, which are all optional.
    package struct Settings: Decodable, Sendable {
        /// The guests' access token; without it guests have no access.
        package let token: Secret?
    }

    /// Builds a provider that keeps its guest in the environment's store.
    /// - Throws: nothing.
    package static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
        AnonymousProvider(
            name: context.name, token: settings.token, store: context.environment.observedStore,
            random: context.environment.random)
    }
}

extension AnonymousPlugin.Settings {
    package init(from decoder: any Decoder) throws {
        token = try SettingsReader(decoder).readIfPresent(
            "token", means: "The access token of all guests; without it they have no access.",
            example: "${PUBLIC_KEY}", isUsual: true)
    }
}
