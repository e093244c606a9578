import Foundation
import IdentityKit
import IdentityPresets
import InsForge
import ThunderID

/// An app whose sign-in follows its file: all of it but what draws the rows.
struct AppModel {
    let engine = SignInEngine()
    let client: IdentityClient
    private let time: TimeSource

    init(
        _ configuration: IdentityConfiguration, store: any TokenStore = MemoryTokenStore(),
        browser: any WebAuthenticator, time: TimeSource
    ) throws {
        self.time = time
        var registry = ProviderRegistry(KnownProviders.plugins + [ThunderIDPlugin.self, InsForgePlugin.self])
        registry.register(KnownProviders.presets)
        client = try IdentityClient(
            configuration: configuration, registry: registry,
            environment: IdentityEnvironment(
                store: store, prompter: engine, webAuthenticator: browser, deviceCodePresenter: engine, time: time,
                variables: [:]))
    }

    /// Follows the file for as long as the screen is there.
    func run() async { await engine.follow(client) }

    /// Draws every screen until `draw` says that it is enough.
    func show(_ draw: ([SignInRow]) async -> Bool) async {
        for await screen in await engine.screens() where await draw(screen.rows(.english, at: time.now)) { return }
    }

    func type(_ text: Secret, in field: SignInPrompt.Field) async { await engine.enter(text, in: field.identifier) }

    func tap(_ button: SignInRow.Button) async { await engine.perform(button.action) }
}
