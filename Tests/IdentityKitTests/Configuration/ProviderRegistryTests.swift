import Foundation
import IdentityKit
import Testing

@Suite struct ProviderRegistryTests {
    private enum ExamplePlugin: ProviderPlugin {
        static let type = "example"

        struct Settings: Decodable, Sendable {
            enum Mode: String, Decodable, CaseIterable { case fast, slow }
            struct Limits: Decodable, Sendable { let requests: Int }

            let mode: Mode
            let limits: Limits?
            let labels: [String: String]?
            let home: URL?
        }

        static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
            ScriptedProvider(context.name, silent: .account(settings.mode.rawValue))
        }
    }

    private func chain(_ settings: JSONValue, type: String = "example") throws -> IdentityProviderChain {
        try ProviderRegistry([ExamplePlugin.self]).makeChain(
            for: IdentityConfiguration(
                providers: [ProviderConfiguration(name: "one", type: type, settings: settings)]),
            environment: IdentityEnvironment(store: MemoryTokenStore()))
    }

    @Test("Settings reach the plug-in typed, and its provider answers under the configured name")
    func builds() async throws {
        let chain = try chain([
            "mode": "fast", "limits": ["requests": 3], "labels": ["any": "key"], "home": "https://example.com",
        ])
        #expect(
            try await chain.silentAccount(scopes: [], deviceToken: "d").account
                == AccountID(account: "fast", realm: "one"))
    }

    @Test(
        "A mistake in the settings is named with its key path",
        arguments: [
            (
                ["mode": "medium"],
                .invalidValue(
                    keyPath: "providers[0].settings.mode", reason: "It is \"medium\". Accepted: fast, slow.")
            ),
            ([:], .missingKey(keyPath: "providers[0].settings.mode")),
            (
                ["mode": "fast", "limits": ["requests": "3"]],
                .wrongType(
                    keyPath: "providers[0].settings.limits.requests", expected: "a whole number", found: "a string")
            ),
            (
                ["mode": "fast", "limits": ["requests": 1, "burst": 2]],
                .unknownKey(keyPath: "providers[0].settings.limits.burst", known: ["requests"])
            ),
            (
                ["mode": "fast", "moed": "slow"],
                .unknownKey(keyPath: "providers[0].settings.moed", known: ["home", "labels", "limits", "mode"])
            ),
            (
                ["mode": "fast", "home": "somewhere"],
                .invalidValue(keyPath: "providers[0].settings.home", reason: "\"somewhere\" is not an absolute URL.")
            ),
        ] as [(JSONValue, ConfigurationError)])
    func mistakes(settings: JSONValue, error: ConfigurationError) {
        #expect(throws: error) { try chain(settings) }
    }

    @Test("An unknown type lists what is registered")
    func unknownType() {
        #expect(
            throws: ConfigurationError.unknownProviderType(
                keyPath: "providers[0].type", type: "other", registered: ["example"])
        ) { try chain([:], type: "other") }
    }
}
