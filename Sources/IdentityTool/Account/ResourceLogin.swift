import Foundation
import IdentityKit

/// Finds or makes the provider for `identity login --resource`, which signs in to a protected resource.
struct ResourceLogin {
    let resource: URL
    /// The client identifier; `nil` for a client that registers itself.
    let clientID: String?
    let place: ConfigurationOptions
    let call: ToolCall

    /// The provider for the resource, with the configuration to write.
    struct Provider: Sendable {
        let name: String
        /// The configuration with the provider; `nil` if the file has it already.
        let configuration: IdentityConfiguration?
        /// Writes the configuration and returns the file; returns `nil` if the file has the provider already.
        let write: @Sendable () throws -> URL?
    }

    /// Returns the first configured provider with the settings for the resource, or else a new provider.
    /// - Throws: ``SignInNotPossibleError`` when no type of provider supports resources, ``ConfigurationCheckError``, or what
    ///   reading the configuration or making the provider throws.
    func provider() async throws -> Provider {
        let (plugin, settings) = try new
        let addition = try ConfigurationAddition(place, store: nil, in: call)
        let known = addition.providers.first { provider in
            provider.type == plugin.type
                && settings.allSatisfy { $0.key == Self.plain || provider.settings[$0.key] == $0.value }
        }
        if let known { return Provider(name: known.name, configuration: nil) { nil } }
        let provider = addition.provider(named: await name(by: plugin), plugin.type, .object(settings))
        return Provider(name: provider.name, configuration: try addition.configuration(with: provider)) {
            try write(provider, to: addition)
        }
    }

    /// Writes the configuration with `provider`, whose session is already in the store. If another program has written the file
    /// in the meantime, adds the provider to the new content. Tries to write five times at most, and gives up at once if the
    /// new content has another store or another provider with the same name.
    /// - Returns: the file; `nil` if another program has added the same provider.
    /// - Throws: as ``ConfigurationAddition/write(_:)``, or what reading or checking the new content throws.
    private func write(_ provider: ProviderConfiguration, to addition: ConfigurationAddition) throws -> URL? {
        var addition = addition
        for _ in 1..<5 {
            do {
                return try addition.write(provider)
            } catch let error where error is ConfigurationChangedError || error is ConfigurationExistsError {
                let present = try ConfigurationAddition(place, store: nil, in: call)
                if present.providers.contains(provider) { return nil }
                guard present.store == addition.store,
                    !present.providers.contains(where: { $0.name == provider.name })
                else { throw error }
                try present.check(provider)
                addition = present
            }
        }
        return try addition.write(provider)
    }

    private static let plain = "allowsLoopbackHTTP"

    private var new: (plugin: any ProviderPlugin.Type, settings: [String: JSONValue]) {
        get throws {
            for plugin in call.registry.plugins {
                guard var settings = plugin.setup.settingsForSignIn(.toResource(resource)) else { continue }
                settings["clientID"] = clientID.map(JSONValue.string)
                return (plugin, settings)
            }
            throw SignInNotPossibleError(reasons: "no type of provider takes a resource")
        }
    }

    /// Returns a name for the provider: the name that the resource gives itself, or else the resource's host and path.
    /// The name has at most 40 characters and needs no quotes in a shell.
    private func name(by plugin: any ProviderPlugin.Type) async -> String {
        let transport = place.verbosity.watching(DefaultTransport.make(deadline: call.context.patience), in: call)
        let detection = BackendDetection(address: resource, transport: transport, plugins: [plugin])
        let own = (try? await detection.backend())?.name.map(Self.word) ?? ""
        guard own.isEmpty else { return own }
        let place = Self.word((resource.host ?? "") + resource.path)
        return place.isEmpty ? "resource" : place
    }

    private static let longestName = 40

    private static func word(_ text: String) -> String {
        let letters = text.lowercased().unicodeScalars.map { letter -> Character in
            let isPlain = letter.isASCII && (letter.properties.isAlphabetic || letter.properties.numericType != nil)
            return isPlain || letter == "." ? Character(letter) : "-"
        }
        let words = String(letters).split(separator: "-")
        return words.joined(separator: "-").prefix(longestName).trimmingCharacters(in: ["-", "."])
    }
}
