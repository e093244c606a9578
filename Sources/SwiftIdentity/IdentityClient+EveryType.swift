import IdentityKit
import IdentityOAuthProviders
import IdentityPresets
import InsForge
import ThunderID

extension IdentityClient {
    /// Creates a client whose configuration may name every provider type of this package, such as ThunderID, InsForge,
    /// OAuth servers, and vendors by their names.
    ///
    /// ```swift
    /// let client = try IdentityClient()
    /// try await client.signIn(scopes: ["openid"])
    /// print(try await client.accessToken())
    /// ```
    /// - Parameters:
    ///   - configuration: the providers and the store; by default those of the file `identity.json` in the app's
    ///     bundle, or else in the working directory.
    ///   - prompter: asks the user for names, passwords and one-time codes; without a prompter, providers that ask for
    ///     them cannot sign in.
    ///   - webAuthenticator: opens sign-in pages, by default in the way that is usual on this system; `nil` if no page can be
    ///     opened.
    ///   - deviceCodePresenter: shows the user code for a sign-in on another device; `nil` if no code can be shown.
    /// - Throws: `ConfigurationError`, `TokenStoreError`, or a provider's error about its settings. An error with the code
    ///   `ambiguous_chain` when two providers share a name or a realm, by which their accounts are distinguished, or with the
    ///   code `unknown_provider` when the variable `SWIFT_IDENTITY_PROVIDER` names a provider that is not configured.
    public convenience init(
        configuration: IdentityConfiguration? = nil, prompter: (any FlowPrompter)? = nil,
        webAuthenticator: (any WebAuthenticator)? = DefaultWebAuthenticator.ofThisSystem,
        deviceCodePresenter: (any DeviceCodePresenter)? = nil
    ) throws {
        var registry = ProviderRegistry(
            ProviderRegistry.corePlugins + KnownProviders.plugins + [
                ProtectedResourcePlugin.self, WorkloadPlugin.self, ThunderIDPlugin.self, InsForgePlugin.self,
            ])
        registry.register(KnownProviders.presets)
        try self.init(
            configuration: configuration, registry: registry, prompter: prompter, webAuthenticator: webAuthenticator,
            deviceCodePresenter: deviceCodePresenter)
    }
}
