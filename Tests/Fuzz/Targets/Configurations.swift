import Foundation
import InsForge
import IdentityOAuthProviders
import ThunderID

@testable import IdentityKit

/// Configuration documents.
enum Configurations {
    /// A variable that the inputs can refer to and one that overrides a setting.
    private static let variables = [
        "HOME": "/home/somebody", "API_KEY": "secret from the environment", "SWIFT_IDENTITY__work__clientID": "other",
    ]
    private static let secret = Data("secret from the environment".utf8)
    private static let encoder = JSONEncoder()
    private static let decoder = JSONDecoder()
    private static let provider = StaticTokenProvider(
        token: "token", account: AccountID(account: "alice", realm: "work"))

    @Sendable static func read(_ input: FuzzInput) {
        do {
            try examine(IdentityConfiguration(parsing: input.data, variables: variables))
            rule(try !IdentityConfiguration.profiles(in: input.data).isEmpty, "a document without a profile")
        } catch {
            tell(error)
        }
    }

    private static func tell(_ error: any Error) {
        guard let failure = error as? any IdentityFailure else { return }
        rule(Data(failure.message.utf8).range(of: secret) == nil, "an error repeats a variable")
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
                tell(error)
            }
        }
        let encoded = try encoder.encode(configuration)
        let again = try? decoder.decode(IdentityConfiguration.self, from: encoded)
        rule(again?.providers == configuration.providers, "a configuration is another when it is read again")
    }

    private static func readSettings(of provider: ProviderConfiguration) throws {
        let settings = try EnvironmentReferences(variables).resolve(provider.settings, at: "settings")
        func decode<Settings: Decodable>(_ type: Settings.Type) throws {
            do {
                _ = try SettingsDecoder.decode(type, from: settings.value, at: "settings", texts: settings.texts)
            } catch let error as ConfigurationError {
                throw settings.hidingValues(in: error, at: "settings")
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
