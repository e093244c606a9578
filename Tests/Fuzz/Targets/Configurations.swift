import Foundation
import InsForge
import OpenIDConnect
import ThunderID

@testable import IdentityKit

/// Configuration documents: JSON in one target, property lists in the other.
enum Configurations {
    /// A variable that the inputs can refer to and one that overrides a setting.
    private static let variables = [
        "HOME": "/home/somebody", "API_KEY": "secret from the environment", "SWIFT_IDENTITY__work__clientID": "other",
    ]
    private static let provider = StaticTokenProvider(
        token: "token", account: AccountID(account: "alice", realm: "work"))

    @Sendable static func read(_ input: FuzzInput) {
        do {
            _ = try IdentityConfiguration.profiles(in: input.data)
            try examine(IdentityConfiguration(parsing: input.data, variables: variables))
        } catch {
            error.tell()
            rule(!error.identityMessage.contains("secret from the environment"), "an error repeats a variable")
        }
    }

    private static func examine(_ configuration: IdentityConfiguration) throws {
        rule(!configuration.providers.isEmpty, "a configuration without a provider")
        _ = ConfigurationChange(from: configuration, to: configuration)
        // Looks for a store there, and makes none.
        if let files = try? configuration.store.filesSealedWithKeyFile() {
            rule(!files.keyFile.hasPrefix(files.folder + "/"), "a key lies in the folder of what it seals")
        }
        for provider in configuration.providers {
            _ = provider.link(to: Self.provider)
            do {
                try readSettings(of: provider)
            } catch {
                error.tell()
            }
        }
        let encoded = try JSONEncoder().encode(configuration)
        let again = try? JSONDecoder().decode(IdentityConfiguration.self, from: encoded)
        rule(again?.providers == configuration.providers, "a configuration is another when it is read again")
    }

    private static func readSettings(of provider: ProviderConfiguration) throws {
        let settings = try EnvironmentReferences(variables).resolve(provider.settings, at: "settings")
        func decode<Settings: Decodable>(_ type: Settings.Type) throws {
            do {
                _ = try SettingsDecoder.decode(type, from: settings.value, at: "settings", texts: settings.texts)
            } catch let error as ConfigurationError {
                throw settings.hidingValues(in: error)
            }
        }
        switch provider.type {
        case "thunderid": try decode(ThunderIDSettings.self)
        case "insforge": try decode(InsForgeSettings.self)
        case "openid-connect": try decode(OpenIDConnectSettings.self)
        case "static": try decode(StaticTokenPlugin.Settings.self)
        default: try decode(EnvironmentTokenPlugin.Settings.self)
        }
    }
}
