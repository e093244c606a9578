import Foundation
import IdentityKit
import IdentityPresets
import IdentityOAuthProviders
import TestSupport

/// The presets as an app has them.
enum Presets {
    static let types = KnownProviders.presets.map(\.type)

    static let registry: ProviderRegistry = {
        var registry = ProviderRegistry(KnownProviders.plugins)
        registry.register(KnownProviders.presets)
        return registry
    }()

    static func preset(_ type: String) throws -> ProviderPreset {
        guard let preset = KnownProviders.presets.first(where: { $0.type == type }) else { throw CancellationError() }
        return preset
    }

    /// The settings that a preset asks for: its parameters' examples, and a client.
    static func needed(by preset: ProviderPreset) -> [String: JSONValue] {
        let clients: [String: JSONValue] = [
            "clientID": "app", "clientSecret": "secret", "redirectURI": "com.example.app:/callback",
            "clientKeyFile": .string(keyFile.path), "clientKeyID": "KEY1", "clientSecretIssuer": "TEAM1",
        ]
        return preset.parameters.reduce(into: clients.filter { preset.needs.contains($0.key) }) {
            $0[$1.name] = .string($1.example)
        }
    }

    /// A key as Apple gives it to developers, made for these tests.
    static let keyFile = folder.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Tests/IdentityPresetsTests/Keys/AuthKey.p8")

    static func chain(
        _ type: String, _ settings: [String: JSONValue],
        in environment: IdentityEnvironment = IdentityEnvironment(store: MemoryTokenStore(), variables: [:]),
        registry: ProviderRegistry = registry
    ) throws -> IdentityProviderChain {
        try registry.makeChain(
            for: IdentityConfiguration(
                providers: [ProviderConfiguration(name: "vendor", type: type, settings: .object(settings))]),
            environment: environment)
    }

    static let folder = PackageFolder.url.appendingPathComponent("Providers/Presets")
}
